"""Where SQL runs: embedded databases and servers, read-only, with a time limit, a row limit and a cache."""

from karat.engines.opening import open_engine
from karat.engines.protocol import Engine, EngineConfig, EngineError, EngineType, ResultTable

__all__ = ["Engine", "EngineConfig", "EngineError", "EngineType", "ResultTable", "open_engine"]
