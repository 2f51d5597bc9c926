"""What a submission holds: tables in replies, files inside its folder."""
