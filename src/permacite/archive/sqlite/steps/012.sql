-- Closed documents that may be read on the premises.
CREATE TABLE building (
  standing_id INTEGER PRIMARY KEY REFERENCES standing
) STRICT;

CREATE TRIGGER building_closed BEFORE INSERT ON building
WHEN NOT EXISTS (
  SELECT 1 FROM standing WHERE standing_id = NEW.standing_id AND access = 'closed')
BEGIN SELECT RAISE(ABORT, 'permacite: what is open in the building is closed elsewhere'); END;

CREATE TRIGGER building_no_update BEFORE UPDATE ON building BEGIN SELECT RAISE(ABORT, 'permacite: rows of building never change'); END;
CREATE TRIGGER building_no_delete BEFORE DELETE ON building BEGIN SELECT RAISE(ABORT, 'permacite: rows of building never change'); END;
CREATE TRIGGER building_no_replace BEFORE INSERT ON building WHEN EXISTS (SELECT 1 FROM building WHERE standing_id = NEW.standing_id) BEGIN SELECT RAISE(ABORT, 'permacite: rows of building never change'); END;
