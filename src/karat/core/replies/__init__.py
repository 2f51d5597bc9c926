"""What an assistant may return, read once for all suites."""

from karat.core.replies.fences import Block
from karat.core.replies.reply import Candidate, Reply, ToolCall, excerpt, only_one
from karat.core.replies.response_forms import read_reply

__all__ = ["Block", "Candidate", "Reply", "ToolCall", "excerpt", "only_one", "read_reply"]
