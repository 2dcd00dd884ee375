-- +goose Up
-- Every table begins with deputy_, so that they can share a file with others. Times are microseconds since 1970 in UTC. person is the
-- issuer and the id of a person as one text, and stands in every key.

CREATE TABLE deputy_conversations (
    seq        INTEGER PRIMARY KEY AUTOINCREMENT,
    person     TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    title      TEXT    NOT NULL,
    folded     TEXT    NOT NULL, -- the title without regard to case, for searching
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (person, id)
) STRICT;
CREATE INDEX deputy_conversations_newest ON deputy_conversations (person, seq);

CREATE TABLE deputy_turns (
    id           TEXT    PRIMARY KEY,
    person       TEXT    NOT NULL,
    person_name  TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    channel      TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    reason       TEXT    NOT NULL,
    cancelled    INTEGER NOT NULL,
    step         INTEGER NOT NULL,
    next_event   INTEGER NOT NULL,
    input        INTEGER NOT NULL,
    cached_input INTEGER NOT NULL,
    output       INTEGER NOT NULL,
    started_at   INTEGER NOT NULL,
    finished_at  INTEGER NOT NULL,
    screen       TEXT    NOT NULL, -- JSON
    epoch        INTEGER NOT NULL, -- of the newest lease
    until        INTEGER NOT NULL, -- end of the lease
    changes      INTEGER NOT NULL  -- grows with every commit and cancellation
) STRICT;
CREATE UNIQUE INDEX deputy_turns_running ON deputy_turns (person, conversation) WHERE state = 'running';
CREATE INDEX deputy_turns_lease ON deputy_turns (until, id) WHERE state = 'running';
CREATE INDEX deputy_turns_conversation ON deputy_turns (person, conversation);

CREATE TABLE deputy_messages (
    person       TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    seq          INTEGER NOT NULL, -- from 1 in each conversation
    role         TEXT    NOT NULL,
    turn         TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    parts        TEXT    NOT NULL, -- JSON
    PRIMARY KEY (person, conversation, seq)
) STRICT;

CREATE TABLE deputy_events (
    person TEXT    NOT NULL,
    turn   TEXT    NOT NULL,
    seq    INTEGER NOT NULL,
    name   TEXT    NOT NULL,
    data   TEXT    NOT NULL, -- JSON
    PRIMARY KEY (person, turn, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE deputy_proposals (
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    person        TEXT    NOT NULL,
    person_name   TEXT    NOT NULL,
    id            TEXT    NOT NULL,
    group_id      TEXT    NOT NULL,
    position      INTEGER NOT NULL,
    conversation  TEXT    NOT NULL,
    turn          TEXT    NOT NULL,
    call          TEXT    NOT NULL,
    tool          TEXT    NOT NULL,
    arguments     TEXT    NOT NULL, -- JSON
    changes       TEXT    NOT NULL, -- JSON
    lines         TEXT    NOT NULL, -- JSON
    summary       TEXT    NOT NULL,
    warnings      TEXT    NOT NULL, -- JSON
    table_name    TEXT    NOT NULL,
    record        TEXT    NOT NULL,
    hash          TEXT    NOT NULL,
    state         TEXT    NOT NULL,
    created_at    INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,
    claimed_until INTEGER NOT NULL,
    decided_at    INTEGER NOT NULL,
    outcome       TEXT    NOT NULL,
    renewed       TEXT    NOT NULL,
    UNIQUE (person, id)
) STRICT;
CREATE INDEX deputy_proposals_newest ON deputy_proposals (person, seq);
CREATE INDEX deputy_proposals_state ON deputy_proposals (person, state, seq);
CREATE INDEX deputy_proposals_group ON deputy_proposals (person, group_id);
CREATE INDEX deputy_proposals_conversation ON deputy_proposals (person, conversation, seq);

CREATE TABLE deputy_log (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL,
    at           INTEGER NOT NULL,
    person       TEXT    NOT NULL,
    person_id    TEXT    NOT NULL,
    person_name  TEXT    NOT NULL,
    channel      TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    turn         TEXT    NOT NULL,
    phase        TEXT    NOT NULL,
    tool         TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    operation    TEXT    NOT NULL,
    proposal     TEXT    NOT NULL,
    outcome      TEXT    NOT NULL,
    arguments    TEXT    NOT NULL, -- JSON
    returned     INTEGER NOT NULL,
    bytes        INTEGER NOT NULL,
    truncated    INTEGER NOT NULL,
    duration     INTEGER NOT NULL, -- nanoseconds
    error_code   TEXT    NOT NULL
) STRICT;
CREATE INDEX deputy_log_call ON deputy_log (id);
CREATE INDEX deputy_log_newest ON deputy_log (person, seq);
CREATE INDEX deputy_log_conversation ON deputy_log (conversation, seq);

CREATE TABLE deputy_settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL -- JSON
) STRICT;
