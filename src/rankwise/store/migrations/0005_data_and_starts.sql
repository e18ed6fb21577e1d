-- Whether data were looked at, how repetitions were started, and what harness and options add.

ALTER TABLE run ADD COLUMN verify_first INTEGER NOT NULL DEFAULT 0;
ALTER TABLE launch ADD COLUMN verifying INTEGER NOT NULL DEFAULT 0;  -- looked at data, timed nothing
UPDATE launch SET verifying = 1 WHERE run_id IN (SELECT id FROM run WHERE verify);
ALTER TABLE launch ADD COLUMN timer_cost_seconds REAL DEFAULT 0;
ALTER TABLE series ADD COLUMN start TEXT NOT NULL DEFAULT '';        -- '' in runs stored before
ALTER TABLE cell ADD COLUMN polls INTEGER NOT NULL DEFAULT 16;
ALTER TABLE cell ADD COLUMN target TEXT NOT NULL DEFAULT 'polls';
ALTER TABLE series ADD COLUMN messages_per_operation INTEGER NOT NULL DEFAULT 1;
ALTER TABLE benchmark ADD COLUMN one_clock INTEGER NOT NULL DEFAULT 0;
UPDATE benchmark SET one_clock = 1 WHERE name IN (
    'pingpong', 'pingpong_as_pack_send_unpack', 'bandwidth', 'bibandwidth', 'late_receiver', 'stream', 'put', 'get',
    'memcpy', 'tcp_pingpong', 'tcp_after_pause', 'tcp_stream', 'empty'
);
