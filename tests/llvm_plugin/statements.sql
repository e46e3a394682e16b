-- Statements for sqlite3's shell. Their output must not depend on how the shell was compiled: no time, no random numbers,
-- no addresses. Some statements fail on purpose.
.headers on
.mode list
-- Numbers and expressions.
SELECT 1 + 2 * 3, 7 / 2, -7 / 2, 7 % 3, -7 % 3, 7.0 / 2, 1 << 40, 1 >> 1, ~5, 6 & 3, 6 | 3;
SELECT 9223372036854775807 + 1, -9223372036854775808 - 1, 9223372036854775807 * 2, abs(-5), abs(-1.5);
SELECT 1e308 * 10, -1e308 * 10, 1.0 / 3, 0.1 + 0.2, round(2.567, 2), round(-2.5), round(1e15 + 0.5);
SELECT 1 = 1.0, '1' = 1, NULL = NULL, NULL IS NULL, 1 IS NOT 2, 'a' < 'B', 'a' < 'b' COLLATE NOCASE;
SELECT CASE 3 WHEN 1 THEN 'one' WHEN 3 THEN 'three' ELSE 'many' END, CASE WHEN 0 THEN 'no' END, iif(1 > 2, 'x', 'y');
SELECT CAST('12abc' AS INTEGER), CAST('1.5e3' AS REAL), CAST(65 AS TEXT), CAST(x'414243' AS TEXT), CAST(3.99 AS INTEGER);
SELECT 5 BETWEEN 1 AND 10, 5 NOT BETWEEN 1 AND 4, 3 IN (1, 2, 3), 4 NOT IN (1, 2, 3), NULL IN (1, 2), 1 IN ();
SELECT coalesce(NULL, NULL, 7), ifnull(NULL, 'd'), nullif(3, 3), nullif(3, 4), max(1, 5, 3), min('b', 'a', 'c');
SELECT typeof(1), typeof(1.0), typeof('1'), typeof(x'01'), typeof(NULL), typeof(1 || 2), typeof(1 = 1);
SELECT hex(x'0123456789abcdef'), hex('text'), quote('it''s'), quote(x'ff00'), quote(NULL), quote(1.25), zeroblob(4) = x'00000000';
SELECT printf('%05d|%-8s|%+.3f|%x|%X|%o|%e|%c|%%', 42, 'left', 3.14159, 255, 255, 8, 12345.678, 'z');
SELECT printf('%,d %q %Q %w', 1234567890, 'it''s', 'it''s', 'a"b'), printf('%10.4s|%.*f', 'abcdefgh', 3, 2.0 / 3);
SELECT sign(-3), sign(0), sign(2.5), 0x1F, 0xff & 0x0f, 1_0;
SELECT 017, 1e3, .5, 5., 1e-7, 123456789012345678, 1234567890123456789012;
-- Text.
SELECT length('héllo'), length(x'0102'), upper('abc'), lower('ABC'), substr('abcdef', 2, 3), substr('abcdef', -3), substr('abcdef', -3, 2);
SELECT trim('  x  '), ltrim('xxabc', 'x'), rtrim('abcxx', 'x'), replace('banana', 'an', 'AN'), instr('banana', 'nan'), instr('banana', 'q');
SELECT 'abc' LIKE 'A%', 'abc' LIKE '_b_', 'a%c' LIKE 'a\%c' ESCAPE '\', 'abc' GLOB 'a*', 'abc' GLOB '[a-c]??', 'abc' GLOB 'A*';
SELECT 'a' || 'b' || 3 || NULL, 'a' || 'b' || 3, char(72, 105, 8364), unicode('€'), unicode('abc');
SELECT length(printf('%.*c', 5000, 'x')), substr(printf('%.*c', 5000, 'ab'), 4990), hex(substr('aé€😀', 2));
SELECT soundex('Robert');
SELECT group_concat(x, '-') FROM (SELECT 'c' AS x UNION ALL SELECT 'a' UNION ALL SELECT 'b');
-- Dates that are given.
SELECT date('2024-02-29', '+1 year'), date('2023-01-31', '+1 month'), strftime('%Y-%j-%W %H:%M:%S', '2001-09-09 01:46:40');
SELECT julianday('2000-01-01 12:00:00'), datetime(1000000000, 'unixepoch'), time('12:34:56.789', '-1 hour'), date('2024-03-10', 'weekday 0');
SELECT strftime('%s', '1970-01-02'), date('2024-05-17', 'start of month', '+1 month', '-1 day'), date('not a date');
-- Tables.
CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT CHECK(age >= 0), city TEXT DEFAULT 'none');
INSERT INTO person(name, age, city) VALUES ('Ada', 36, 'London'), ('Alan', 41, 'London'), ('Grace', 85, 'New York');
INSERT INTO person(name, age) VALUES ('Edsger', 72);
INSERT INTO person VALUES (10, 'Barbara', 30, 'Boston'), (11, 'Donald', 55, 'Milwaukee'), (12, 'Tony', 60, 'Oxford');
INSERT INTO person(name, age) VALUES (NULL, 3);
INSERT INTO person(name, age) VALUES ('Nobody', -1);
INSERT INTO person(id, name) VALUES (10, 'Twice');
SELECT * FROM person;
SELECT count(*), count(city), sum(age), avg(age), min(name), max(name), total(age) FROM person;
SELECT city, count(*) AS n, group_concat(name) FROM person GROUP BY city ORDER BY n DESC, city;
SELECT city, avg(age) FROM person GROUP BY city HAVING count(*) > 1;
SELECT name FROM person WHERE age > (SELECT avg(age) FROM person) ORDER BY age;
SELECT name, age FROM person ORDER BY age DESC LIMIT 3 OFFSET 1;
SELECT name FROM person WHERE name LIKE 'a%' OR city IN ('Oxford', 'Boston') ORDER BY name;
SELECT last_insert_rowid(), changes() >= 0;
UPDATE person SET age = age + 1 WHERE city = 'London';
SELECT name, age FROM person WHERE city = 'London';
UPDATE person SET city = upper(city), age = age * 2 WHERE id >= 10;
SELECT * FROM person WHERE id >= 10;
UPDATE person SET name = NULL WHERE id = 1;
DELETE FROM person WHERE age > 110;
SELECT count(*) FROM person;
INSERT INTO person(id, name, age) VALUES (1, 'Ada Lovelace', 37) ON CONFLICT(id) DO UPDATE SET name = excluded.name;
INSERT OR IGNORE INTO person(id, name) VALUES (1, 'Ignored');
INSERT OR REPLACE INTO person(id, name, age, city) VALUES (2, 'Alan Turing', 41, 'Wilmslow');
SELECT * FROM person WHERE id <= 2;
INSERT INTO person(name, age) VALUES ('Frances', 88) RETURNING id, name, age * 2 AS twice;
DELETE FROM person WHERE name = 'Frances' RETURNING *;
UPDATE person SET age = 1 WHERE id = 2 RETURNING id, age;
CREATE TABLE book(id INTEGER PRIMARY KEY, author INT REFERENCES person(id) ON DELETE CASCADE, title TEXT, year INT);
CREATE INDEX book_author ON book(author);
CREATE UNIQUE INDEX book_title ON book(title COLLATE NOCASE);
INSERT INTO book(author, title, year) VALUES (1, 'Notes', 1843), (2, 'Computable Numbers', 1936), (2, 'Intelligence', 1950);
INSERT INTO book(author, title, year) VALUES (4, 'A Discipline', 1976), (4, 'Harmful', 1968), (NULL, 'Anonymous', 1900);
INSERT INTO book(author, title, year) VALUES (4, 'HARMFUL', 1969);
SELECT name, title FROM person JOIN book ON book.author = person.id ORDER BY title;
SELECT name, title FROM person LEFT JOIN book ON book.author = person.id ORDER BY name, title;
SELECT name, title FROM person RIGHT JOIN book ON book.author = person.id ORDER BY title;
SELECT name, title FROM person FULL JOIN book ON book.author = person.id ORDER BY name, title;
SELECT p.name, count(b.id) FROM person p LEFT JOIN book b ON b.author = p.id GROUP BY p.id ORDER BY 2 DESC, 1;
SELECT a.title, b.title FROM book a, book b WHERE a.author = b.author AND a.id < b.id;
SELECT title FROM book WHERE EXISTS (SELECT 1 FROM person WHERE person.id = book.author AND age < 50) ORDER BY 1;
SELECT title FROM book WHERE author NOT IN (SELECT id FROM person WHERE age > 50) ORDER BY 1;
SELECT title, (SELECT name FROM person WHERE id = author) AS who FROM book ORDER BY year;
SELECT year / 100 AS century, count(*) FROM book GROUP BY century ORDER BY century;
SELECT DISTINCT author FROM book ORDER BY author;
EXPLAIN QUERY PLAN SELECT * FROM book WHERE author = 4;
EXPLAIN QUERY PLAN SELECT name, title FROM person JOIN book ON book.author = person.id WHERE year > 1940 ORDER BY name;
PRAGMA foreign_keys = ON;
DELETE FROM person WHERE id = 2;
SELECT count(*) FROM book;
INSERT INTO book(author, title) VALUES (999, 'No author');
PRAGMA foreign_key_check;
PRAGMA table_info(person);
PRAGMA index_list(book);
PRAGMA index_info(book_title);
PRAGMA integrity_check;
-- Sets.
SELECT 1 UNION SELECT 2 UNION SELECT 1 ORDER BY 1;
SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 1;
SELECT id FROM person INTERSECT SELECT author FROM book ORDER BY 1;
SELECT id FROM person EXCEPT SELECT author FROM book ORDER BY 1;
VALUES (1, 'a'), (2, 'b'), (3, 'c');
SELECT * FROM (VALUES (3, 'c'), (1, 'a')) ORDER BY column1;
-- Recursion: loops of the virtual machine.
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT count(*), sum(i), max(i) FROM n;
WITH RECURSIVE f(a, b, k) AS (SELECT 0, 1, 0 UNION ALL SELECT b, a + b, k + 1 FROM f WHERE k < 90) SELECT a FROM f WHERE k % 10 = 0;
WITH RECURSIVE p(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM p WHERE i < 400) SELECT group_concat(i, ' ') FROM p WHERE NOT EXISTS (SELECT 1 FROM p AS q WHERE q.i * q.i <= p.i AND p.i % q.i = 0);
WITH RECURSIVE c(n, s) AS (SELECT 27, 0 UNION ALL SELECT CASE WHEN n % 2 THEN 3 * n + 1 ELSE n / 2 END, s + 1 FROM c WHERE n <> 1) SELECT max(s), max(n) FROM c;
WITH RECURSIVE x(x) AS (VALUES (-2.0) UNION ALL SELECT x + 0.1 FROM x WHERE x < 0.6), y(y) AS (VALUES (-1.0) UNION ALL SELECT y + 0.2 FROM y WHERE y < 1.0), m(i, cx, cy, x, y) AS (SELECT 0, x, y, 0.0, 0.0 FROM x, y UNION ALL SELECT i + 1, cx, cy, x * x - y * y + cx, 2.0 * x * y + cy FROM m WHERE x * x + y * y < 4.0 AND i < 20), n(i, cx, cy) AS (SELECT max(i), cx, cy FROM m GROUP BY cx, cy), l(cy, t) AS (SELECT cy, group_concat(substr(' .+*#', 1 + min(i / 5, 4), 1), '') FROM n GROUP BY cy) SELECT group_concat(rtrim(t), x'0a') FROM l;
WITH RECURSIVE input(s) AS (VALUES ('53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79')), digits(z, d) AS (VALUES ('1', 1) UNION ALL SELECT CAST(d + 1 AS TEXT), d + 1 FROM digits WHERE d < 9), x(s, i) AS (SELECT s, instr(s, '.') FROM input UNION ALL SELECT substr(s, 1, i - 1) || z || substr(s, i + 1), instr(substr(s, 1, i - 1) || z || substr(s, i + 1), '.') FROM x, digits AS z WHERE i > 0 AND NOT EXISTS (SELECT 1 FROM digits AS k WHERE z.z = substr(s, ((i - 1) / 9) * 9 + k.d, 1) OR z.z = substr(s, ((i - 1) % 9) + (k.d - 1) * 9 + 1, 1) OR z.z = substr(s, (((i - 1) / 3) % 3) * 3 + ((i - 1) / 27) * 27 + k.d + ((k.d - 1) / 3) * 6, 1))) SELECT s FROM x WHERE i = 0;
CREATE TABLE tree(id INTEGER PRIMARY KEY, up INT);
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 200) INSERT INTO tree SELECT i, i / 2 FROM n;
WITH RECURSIVE d(id, depth) AS (VALUES (1, 0) UNION ALL SELECT tree.id, depth + 1 FROM tree JOIN d ON tree.up = d.id) SELECT depth, count(*) FROM d GROUP BY depth;
WITH RECURSIVE up(id) AS (VALUES (137) UNION SELECT tree.up FROM tree JOIN up ON tree.id = up.id) SELECT group_concat(id) FROM up;
WITH a AS (SELECT 1 AS x), b AS MATERIALIZED (SELECT x + 1 AS y FROM a), c AS NOT MATERIALIZED (SELECT y * 2 AS z FROM b) SELECT * FROM a, b, c;
-- Many rows: sorting, indexes, trees of pages.
CREATE TABLE big(k INTEGER PRIMARY KEY, a INT, b TEXT, c REAL);
WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 9999) INSERT INTO big SELECT i, (i * 7919 + 13) % 10007, printf('row %06d', (i * 104729) % 10000), (i * 31 % 1000) / 8.0 FROM n;
SELECT count(*), sum(a), min(b), max(b), sum(c), avg(c) FROM big;
SELECT k, a, b, c FROM big ORDER BY a LIMIT 5;
SELECT k, b FROM big ORDER BY b DESC, k LIMIT 5 OFFSET 100;
CREATE INDEX big_a ON big(a);
CREATE INDEX big_bc ON big(b, c DESC);
CREATE INDEX big_even ON big(c) WHERE a % 2 = 0;
CREATE INDEX big_expression ON big(a % 100, length(b));
ANALYZE;
SELECT count(*) FROM big WHERE a BETWEEN 1000 AND 2000;
SELECT sum(k) FROM big WHERE a IN (1, 10, 100, 1000, 5000);
SELECT count(*), sum(c) FROM big WHERE a % 100 = 17;
SELECT k, c FROM big WHERE b >= 'row 000100' AND b < 'row 000110' ORDER BY b;
SELECT count(*) FROM big x JOIN big y ON x.a = y.k WHERE x.c > 100;
SELECT a % 10 AS g, count(*), sum(c), min(k), max(k) FROM big GROUP BY g ORDER BY g;
SELECT count(DISTINCT c), count(DISTINCT a % 97) FROM big;
SELECT sum(a) FILTER (WHERE k % 2), sum(a) FILTER (WHERE NOT k % 2) FROM big;
EXPLAIN QUERY PLAN SELECT * FROM big WHERE b = 'row 000001' AND c > 3;
EXPLAIN QUERY PLAN SELECT * FROM big WHERE a = 1 OR k = 2;
SELECT * FROM big WHERE a = 1 OR k = 2 ORDER BY k;
UPDATE big SET c = c + 1, b = b || '!' WHERE a % 3 = 0;
SELECT count(*), sum(c) FROM big WHERE b LIKE '%!';
DELETE FROM big WHERE k % 4 = 1;
SELECT count(*), sum(a), sum(c) FROM big;
PRAGMA integrity_check;
REINDEX big;
VACUUM;
SELECT count(*), sum(k), sum(length(b)) FROM big;
PRAGMA page_count;
DROP INDEX big_bc;
ALTER TABLE big ADD COLUMN d INT DEFAULT 5;
SELECT d, count(*) FROM big GROUP BY d;
ALTER TABLE big RENAME COLUMN d TO e;
ALTER TABLE big DROP COLUMN e;
SELECT sql FROM sqlite_schema WHERE name LIKE 'big%' ORDER BY name;
CREATE TABLE copy AS SELECT k, a FROM big WHERE k < 50;
SELECT count(*), sum(a) FROM copy;
ALTER TABLE copy RENAME TO duplicate;
SELECT max(k) FROM duplicate;
DROP TABLE duplicate;
SELECT * FROM duplicate;
-- Windows.
CREATE TABLE sale(day INT, shop TEXT, amount INT);
WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 29) INSERT INTO sale SELECT i / 3, substr('abc', i % 3 + 1, 1), i * i % 17 FROM n;
SELECT day, shop, amount, sum(amount) OVER (PARTITION BY shop ORDER BY day) FROM sale ORDER BY shop, day;
SELECT day, shop, row_number() OVER w, rank() OVER w, dense_rank() OVER w, ntile(4) OVER w FROM sale WINDOW w AS (ORDER BY amount, day, shop) ORDER BY 3;
SELECT day, amount, lag(amount, 1, -1) OVER w, lead(amount, 2) OVER w, first_value(amount) OVER w, last_value(amount) OVER w FROM sale WHERE shop = 'b' WINDOW w AS (ORDER BY day);
SELECT day, amount, sum(amount) OVER (ORDER BY day ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), max(amount) OVER (ORDER BY day RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) FROM sale WHERE shop = 'a';
SELECT shop, day, amount, count(*) OVER (PARTITION BY shop ORDER BY amount GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM sale WHERE day < 4 ORDER BY 1, 2;
SELECT amount, percent_rank() OVER (ORDER BY amount), cume_dist() OVER (ORDER BY amount), nth_value(amount, 3) OVER (ORDER BY amount) FROM sale WHERE shop = 'c' ORDER BY amount;
SELECT shop, total, avg(total) OVER () FROM (SELECT shop, sum(amount) AS total FROM sale GROUP BY shop) ORDER BY shop;
SELECT day, group_concat(shop, '') OVER (ORDER BY day, shop ROWS 3 PRECEDING) FROM sale WHERE day < 3;
-- Views, triggers, generated columns.
CREATE VIEW sales AS SELECT day, sum(amount) AS amount FROM sale GROUP BY day;
SELECT * FROM sales WHERE amount > 15;
CREATE TABLE journal(n INTEGER PRIMARY KEY, what TEXT);
CREATE TRIGGER sale_insert AFTER INSERT ON sale BEGIN INSERT INTO journal(what) VALUES ('insert ' || new.shop || ' ' || new.amount); END;
CREATE TRIGGER sale_update AFTER UPDATE OF amount ON sale WHEN new.amount <> old.amount BEGIN INSERT INTO journal(what) VALUES (printf('%s: %d -> %d', old.shop, old.amount, new.amount)); END;
CREATE TRIGGER sale_delete BEFORE DELETE ON sale WHEN old.amount > 15 BEGIN SELECT RAISE(ABORT, 'too much to delete'); END;
CREATE TRIGGER sales_insert INSTEAD OF INSERT ON sales BEGIN INSERT INTO sale VALUES (new.day, 'v', new.amount); END;
INSERT INTO sale VALUES (100, 'x', 5), (101, 'y', 6);
UPDATE sale SET amount = amount + day % 2 WHERE day >= 8;
DELETE FROM sale WHERE day = 2;
DELETE FROM sale WHERE amount > 15;
INSERT INTO sales VALUES (200, 77);
SELECT * FROM journal;
SELECT * FROM sale WHERE day >= 100;
DROP TRIGGER sale_delete;
DELETE FROM sale WHERE amount > 15;
SELECT count(*), sum(amount) FROM sale;
CREATE TABLE box(w INT, h INT, area INT GENERATED ALWAYS AS (w * h) STORED, name TEXT AS (w || 'x' || h));
INSERT INTO box(w, h) VALUES (2, 3), (4, 5), (10, 10);
INSERT INTO box(w, h, area) VALUES (1, 1, 1);
SELECT * FROM box WHERE area > 10;
CREATE TABLE pair(a INT, b INT, c TEXT, PRIMARY KEY(a, b)) WITHOUT ROWID;
INSERT INTO pair VALUES (2, 1, 'x'), (1, 2, 'y'), (1, 1, 'z'), (2, 0, 'w');
INSERT INTO pair VALUES (1, 1, 'again');
SELECT * FROM pair;
REPLACE INTO pair VALUES (1, 1, 'again');
SELECT c FROM pair WHERE a = 1 ORDER BY b DESC;
CREATE TABLE exact(i INT, t TEXT, r REAL, b BLOB, a ANY) STRICT;
INSERT INTO exact VALUES (1, 'one', 1, x'01', 'anything');
INSERT INTO exact VALUES ('one', 'one', 1, x'01', 2);
SELECT i, t, r, hex(b), a FROM exact;
-- Transactions.
BEGIN;
INSERT INTO pair VALUES (7, 7, 'seven');
SELECT count(*) FROM pair;
ROLLBACK;
SELECT count(*) FROM pair;
BEGIN IMMEDIATE;
INSERT INTO pair VALUES (8, 8, 'eight');
SAVEPOINT one;
DELETE FROM pair;
SELECT count(*) FROM pair;
ROLLBACK TO one;
SELECT count(*) FROM pair;
SAVEPOINT two;
UPDATE pair SET c = 'all';
RELEASE two;
COMMIT;
SELECT * FROM pair;
COMMIT;
-- Another database.
ATTACH ':memory:' AS other;
CREATE TABLE other.t(x, y);
INSERT INTO other.t SELECT a, b FROM pair;
SELECT * FROM other.t ORDER BY x, y;
SELECT count(*) FROM other.t JOIN main.pair ON x = a AND y = b;
DETACH other;
SELECT * FROM other.t;
CREATE TEMP TABLE scratch(v);
INSERT INTO scratch VALUES (3), (1), (2), (NULL), ('text'), (x'00'), (2.5);
SELECT v, typeof(v) FROM scratch ORDER BY v;
SELECT v FROM scratch ORDER BY v DESC NULLS LAST;
-- JSON.
SELECT json('{ "a" : [1, 2.5, "x"] }'), json_extract('{"a":[1,{"b":7}]}', '$.a[1].b'), json_array(1, 'two', NULL), json_object('k', 1, 'l', json('[2]'));
SELECT '{"a":{"b":[10,20]}}' -> '$.a', '{"a":{"b":[10,20]}}' ->> '$.a.b[1]', json_type('[1]', '$[0]'), json_valid('{x'), json_array_length('[1,2,3]');
SELECT json_set('{"a":1}', '$.b', 2), json_insert('{"a":1}', '$.a', 9), json_replace('{"a":1}', '$.a', 9), json_remove('[0,1,2]', '$[1]'), json_patch('{"a":1,"b":2}', '{"b":null,"c":3}');
SELECT key, value, type, path FROM json_tree('{"a":[1,{"b":true}],"c":null}');
SELECT value * 2 FROM json_each('[1, 2, 3]');
SELECT json_group_array(shop), json_group_object(shop, day) FROM (SELECT shop, day FROM sale WHERE day = 1 ORDER BY shop);
SELECT json('{bad');
-- Errors.
SELECT nothing FROM person;
SELECT * FROM nowhere;
SELEC 1;
SELECT count(*, 2);
SELECT abs(-9223372036854775808);
SELECT 1 / 0, 1 % 0, 1.0 / 0;
INSERT INTO person VALUES (1);
CREATE TABLE person(x);
SELECT (SELECT 1, 2);
SELECT json_extract('{}', 'bad path');
SELECT substr('x', 1, 2, 3, 4);
SELECT unknown_function(1);
-- Pieces of the shell.
.mode csv
SELECT * FROM pair;
.mode json
SELECT * FROM pair;
.mode column
SELECT * FROM pair;
.mode box
SELECT * FROM pair;
.mode quote
SELECT 1, 'it''s', NULL, x'0102', 2.5;
.mode insert pair
SELECT * FROM pair;
.mode line
SELECT * FROM pair LIMIT 1;
.mode markdown
SELECT * FROM pair;
.mode table
SELECT * FROM pair;
.mode list
.tables
.schema pair
.dump pair
.sha3sum
.indexes big
SELECT * FROM generate_series(1, 20, 6);
SELECT * FROM pragma_table_info('pair');
SELECT name, type FROM sqlite_schema ORDER BY name;
SELECT sum(length(sql)) FROM sqlite_schema;
