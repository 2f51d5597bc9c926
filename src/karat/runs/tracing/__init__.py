"""A run as spans of OpenTelemetry: where they go, what they say."""
