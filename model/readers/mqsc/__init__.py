"""The reader of MQSC scripts and dmpmqcfg dumps: text to lines, commands, parameters, records."""
