-- A league: clubs, their teams, matches between two of them, and the referees who lead and assist.
CREATE TABLE regions (id INTEGER PRIMARY KEY, name TEXT NOT NULL, within_id INTEGER REFERENCES regions (id));
CREATE TABLE teams (id INTEGER PRIMARY KEY, name TEXT NOT NULL, region_id INTEGER NOT NULL REFERENCES regions (id), founded DATE, coach TEXT);
CREATE TABLE referees (id INTEGER PRIMARY KEY, name TEXT NOT NULL, mentor_id INTEGER REFERENCES referees (id), fee NUMERIC(8,2) NOT NULL);
CREATE TABLE matches (
  id INTEGER PRIMARY KEY, home_team_id INTEGER NOT NULL REFERENCES teams (id), away_team_id INTEGER NOT NULL REFERENCES teams (id),
  lead_id INTEGER REFERENCES referees (id), assistant_id INTEGER REFERENCES referees (id),
  played_at TIMESTAMP NOT NULL, home_goals INTEGER, away_goals INTEGER, tickets NUMERIC(10,2)
);
CREATE INDEX matches_home ON matches (home_team_id);
CREATE INDEX matches_away ON matches (away_team_id);

INSERT INTO regions VALUES (1, 'Land', NULL), (2, 'North', 1), (3, 'South', 1), (4, 'Fjord', 2), (5, 'Valley', 2), (6, 'Coast', 3);
INSERT INTO teams VALUES
  (1, 'Herons', 4, '1921-05-01', 'Brandt'), (2, 'Otters', 4, '1934-09-12', NULL), (3, 'Lynxes', 5, '1908-03-30', 'Vik'),
  (4, 'Seals', 6, '1950-01-15', 'Brandt'), (5, 'Gulls', 6, NULL, 'Moe'), (6, 'Swifts', 3, '1999-07-07', NULL);
INSERT INTO referees VALUES (1, 'Ask', NULL, 120.50), (2, 'Bø', 1, 99.99), (3, 'Ceder', 1, 80.00), (4, 'Dahl', 2, 75.25), (5, 'Eng', NULL, 110.00);
INSERT INTO matches VALUES
  (1, 1, 2, 1, 2, '2026-08-01 16:00:00', 2, 1, 1250.50), (2, 3, 4, 2, 3, '2026-08-01 22:30:00', 0, 0, 980.10),
  (3, 5, 6, 1, 4, '2026-08-08 17:00:00', 1, 3, 455.05), (4, 2, 1, 3, NULL, '2026-08-15 16:00:00', 2, 2, 1310.00),
  (5, 4, 3, 2, 1, '2026-08-22 23:15:00', 4, 1, 870.70), (6, 6, 5, NULL, 2, '2026-08-31 22:30:00', 0, 2, 512.35),
  (7, 1, 3, 1, 2, '2026-09-05 16:00:00', 3, 0, 1405.90), (8, 4, 1, 5, 1, '2026-09-12 17:00:00', 1, 1, 903.15),
  (9, 2, 5, 3, 4, '2026-09-19 16:00:00', 2, 0, 1188.80), (10, 3, 6, 2, 3, '2026-09-30 22:45:00', 5, 2, 1020.20),
  (11, 6, 1, 1, NULL, '2026-10-03 16:00:00', NULL, NULL, NULL), (12, 5, 4, 4, 2, '2026-10-10 17:00:00', 1, 2, 640.60);
