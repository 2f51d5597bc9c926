"""Functions that a submitted query may not call: they read or write files, reach the network, or change the session.

A function that is only slow (``pg_sleep``) is not here: the timeout deals with it.
"""

from __future__ import annotations

import re

_FILES = r"readfile|writefile|load_extension|load_file|read_text|read_blob"

_DUCKDB = (
    r"read_\w+|\w*_scan\w*|glob|sniff_\w+|parquet_\w+|st_read\w*|st_drivers|write_\w+|copy_\w+"
    r"|query|query_table|\w+_query|\w+_execute|\w+_attach|sql_auto_complete"
    r"|getenv|duckdb_secrets|which_secret|load_\w+|http\w*|from_substrait\w*|get_substrait\w*"
    r"|duckdb_logs|duckdb_settings|current_setting|pragma_database_list|duckdb_databases|duckdb_extensions"
    r"|duckdb_temporary_files|pg_settings"
    r"|json_execute_\w+|checkpoint|force_checkpoint|(?:enable|disable)_(?:logging|profil\w+|object_cache)"
)
_SQLITE = r"edit|fts3_tokenizer|fsdir|lsdir|zipfile|sqlar_\w+|csv|dbstat|sqlite_dbdata|pragma_database_list"
_POSTGRES = (
    r"pg_read_\w+|pg_ls_\w+|pg_stat_file|pg_stat_reset\w*|pg_file_\w+|pg_current_logfile|pg_hba_file_rules"
    r"|pg_show_all_file_settings"
    r"|lo_\w+|loread|lowrite|dblink\w*|postgres_fdw\w*|file_fdw\w*|http\w*"
    r"|set_config|query_to_xml\w*|cursor_to_xml\w*|table_to_xml\w*|schema_to_xml\w*|database_to_xml\w*|ts_stat"
    r"|pg_terminate_backend|pg_cancel_backend|pg_reload_conf|pg_rotate_logfile|pg_log_backend\w*|pg_notify"
    r"|pg_(?:try_)?advisory_\w+|pg_logical_\w+|pg_replication_\w+|pg_switch_wal|pg_promote|pg_wal_replay_\w+"
    r"|pg_create_\w+|pg_drop_\w+|pg_copy_\w+|pg_backup_\w+|pg_start_backup|pg_stop_backup|pg_export_snapshot"
    r"|pg_import_\w+|pg_extension_config_dump|nextval|setval|currval|lastval|pg_execute_server_program|plpy\w*"
)
_MYSQL = (
    r"sys_\w+|get_lock|release_lock|release_all_locks|set_var|max_execution_time|resource_group"
    r"|master_\w*wait|source_pos_wait|wait_for_executed_gtid_set|lib_mysqludf\w*|nextval|setval|lastval"
)
_BIGQUERY = r"external_query|external_object_transform|appends|changes"
_SNOWFLAKE = (
    r"system\$(?!typeof$)\w+|get_presigned_url|get_stage_location|get_relative_path|build_\w*file_url|infer_schema"
    r"|directory|to_query|snowflake\.cortex\w*"
)

REFUSED = {
    dialect: re.compile(f"(?:{_FILES}|{own})")
    for dialect, own in {
        "sqlite": _SQLITE,
        "duckdb": _DUCKDB,
        "postgres": _POSTGRES,
        "mysql": _MYSQL,
        "bigquery": _BIGQUERY,
        "snowflake": _SNOWFLAKE,
    }.items()
}
"""Dialect → the whole name, in lower case, of what is refused."""

VOLATILE = re.compile(
    r"now|today|yesterday|tomorrow|current_\w+|localtime|localtimestamp|sysdate|systimestamp|utc_\w+"
    r"|tablesample|using sample|sample|for_system_time"
)
"""Words and texts (SQLite's 'now') with which the same SQL may give another table tomorrow."""

VOLATILE_CALLED = re.compile(
    r"random|rand|randn|randomblob|setseed|gen_random_\w+|newid|uuid\w*|generate_uuid|uuid_string|getdate"
    r"|get_current_\w+"
    r"|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|age|curdate|curtime|unix_timestamp|unixepoch"
    r"|randstr|uniform|normal|zipf|any_value|connection_id|pg_\w+|txid_\w+|result_scan|last_query_id"
)
"""The same for functions. Taken widely: the price of a wrong guess is a query that runs again."""
