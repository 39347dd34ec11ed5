import Manifest

/// Settings of a writer's session that decide how values are written as text, and their values while events are made.
///
/// So one value always has one text, in keys, filters and bodies. A SET of the function would cost a writer a tenth of its
/// rate, even if there is nothing to set: a look at a setting costs a quarter of a microsecond. `runner.is_plain` knows
/// whether a name depends on the search_path.
struct WriterSettings {
  /// How the database writes a column of type `money`; `nil` if the table had none when its triggers were made.
  let money: String?

  private var settings: [(name: String, value: String, isOther: String)] {
    let plain = [("IntervalStyle", "postgres"), ("bytea_output", "hex")] + (money.map { [("lc_monetary", $0)] } ?? [])
    return [
      // The order of day and month is of no importance in it.
      ("DateStyle", "ISO", "NOT pg_catalog.starts_with(\(Self.current("DateStyle")), 'ISO')"),
      // Some drivers set 2 or 3, which is the same.
      (
        "extra_float_digits", "1",
        "\(Self.current("extra_float_digits")) OPERATOR(pg_catalog.<>) ALL ('{1,2,3}'::pg_catalog.text[])"
      ),
    ] + plain.map { ($0, $1, "\(Self.current($0)) OPERATOR(pg_catalog.<>) \(literal($1))") }
  }

  /// The variables of a trigger's function that keep what is to be set again.
  var declarations: String {
    """
      runner_zone CONSTANT pg_catalog.text := \(Self.current("TimeZone"));
      runner_style pg_catalog.text[];
    """
  }

  /// The statements before events are made.
  ///
  /// The zone stands alone because it is more often another than the rest is.
  var beginning: String {
    """
      IF \(Self.isElsewhere) THEN
        PERFORM pg_catalog.set_config('TimeZone', 'UTC', true);
      END IF;
      IF \(settings.map(\.isOther).joined(separator: "\n    OR ")) THEN
        runner_style := ARRAY[\(settings.map { Self.current($0.name) }.joined(separator: ", "))];
        PERFORM \(settings.map { Self.set($0.name, literal($0.value)) }.joined(separator: ", "));
      END IF;
    """
  }

  /// The statements after it.
  ///
  /// Where one in between fails, what was set goes with it.
  var end: String {
    let former = settings.enumerated().map { Self.set($1.name, "runner_style[\($0 + 1)]") }
    return """
        IF \(Self.isElsewhere) THEN
          PERFORM pg_catalog.set_config('TimeZone', runner_zone, true);
        END IF;
        IF runner_style IS NOT NULL THEN
          PERFORM \(former.joined(separator: ", "));
        END IF;
      """
  }

  /// Whether the writer's zone is not UTC.
  ///
  /// PostgreSQL calls UTC `Etc/UTC` where it has taken the zone from the machine. Both print the same texts. To set a zone
  /// and to set it back costs more than this look.
  private static let isElsewhere = "runner_zone OPERATOR(pg_catalog.<>) ALL ('{UTC,Etc/UTC}'::pg_catalog.text[])"

  private static func current(_ name: String) -> String { "pg_catalog.current_setting('\(name)')" }

  private static func set(_ name: String, _ value: String) -> String {
    "pg_catalog.set_config('\(name)', \(value), true)"
  }
}
