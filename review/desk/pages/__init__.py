"""Pages of the desk, with a module for each: functions that answer a request with HTML."""
