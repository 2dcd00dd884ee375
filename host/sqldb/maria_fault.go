package sqldb

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// fault reads the server's own codes.
func (db *maria) fault(err error) fault {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return mariaLost(err)
	}
	switch e.Number {
	case 1205, 1213, 3572, 1099, 1100: // lock wait, deadlock, NOWAIT
		return busy
	case 1317, 1969, 3024: // KILL QUERY, max_statement_time, max_execution_time
		return slow
	case 1020: // the record has changed since it was read
		return outdated
	case 1040, 1041, 1042, 1043, 1044, 1045, 1049, 1053, 1152, 1158, 1159, 1160, 1161, 1184, 1203, 1226, 1698, 1927, 3159, 4031:
		return lost
	case 1142, 1143, 1227, 1290, 1369, 1370, 1792, 1836, 1288, 1471, 1356:
		return denied
	case 1116, 1117, 1118, 1153, 1260, 1390, 1436, 1038, 1473, 1463, 1119:
		return tooMuch
	}
	return mariaRule(e)
}

func mariaRule(e *mysql.MySQLError) fault {
	switch e.Number {
	case 1062, 1169, 1586, 1859:
		return notUnique
	case 1048, 1364, 1263, 1121, 1171:
		return notNull
	case 1452, 1216, 1451, 1217, 1761, 1762:
		return notRelated
	case 4025, 3819:
		return checkFailed
	case 1264, 1265, 1292, 1366, 1406, 1411, 1367, 1416, 1690, 1441, 3140, 3141, 3156, 4079:
		return badValue
	}
	switch state := string(e.SQLState[:]); {
	case strings.HasPrefix(state, "45"), strings.HasPrefix(state, "44"), strings.HasPrefix(state, "02"):
		return otherRule
	case strings.HasPrefix(state, "22"):
		return badValue
	case strings.HasPrefix(state, "08"):
		return lost
	}
	return broken
}

// mariaLost says whether an error that is not the server's is of the connection.
func mariaLost(err error) fault {
	switch {
	case errors.Is(err, errTooMuch), errors.Is(err, mysql.ErrPktTooLarge):
		return tooMuch
	case errors.Is(err, mysql.ErrInvalidConn), errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), network(err):
		return lost
	}
	return noAnswer
}

// blamed are the columns of the constraint, or the column, that the server names. Its sentence may quote a row: a name is looked for only where
// it stands by the sentence's form.
func (db *maria) blamed(t *table, err error) []string {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Number {
	case 1048, 1364:
		if _, rest, ok := strings.Cut(e.Message, "'"); ok {
			if name, _, ok := strings.Cut(rest, "'"); ok && t.column(name) != nil {
				return []string{name}
			}
		}
	case 1062, 1586:
		for _, u := range t.constraints {
			if strings.HasSuffix(e.Message, " for key '"+u.name+"'") || strings.HasSuffix(e.Message, " for key '"+t.name+"."+u.name+"'") {
				return u.columns
			}
		}
	}
	return nil
}
