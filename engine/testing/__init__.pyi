# The public names with their types, for type checkers; __init__.py loads each when it is first used.
from mqclause.testing.assertions import assert_fails as assert_fails
from mqclause.testing.assertions import assert_no_findings as assert_no_findings
from mqclause.testing.assertions import assert_routes as assert_routes
from mqclause.testing.assertions import assert_triggers as assert_triggers

__all__: list[str]
