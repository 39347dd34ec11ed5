package import FoundationEssentials

/// A person's quiet hours in the next 48 hours.
package struct QuietBand: Codable, Sendable {
  /// The zone by which they are meant.
  package var zone: String
  package var from: Date
  package var until: Date
  /// The times of quiet, in their order.
  package var quiet: [Span]
  /// The mutes that last, from now on.
  package var muted: [Muted]
  /// The local midnights.
  package var days: [Day]
  /// When the clocks change.
  package var changes: [Change]

  package init(
    zone: String, from: Date, until: Date, quiet: [Span], muted: [Muted] = [], days: [Day], changes: [Change]
  ) {
    (self.zone, self.from, self.until) = (zone, from, until)
    (self.quiet, self.muted, self.days, self.changes) = (quiet, muted, days, changes)
  }

  /// A time of quiet.
  package struct Span: Codable, Sendable, Equatable {
    package var from: Date
    package var until: Date
    /// Begin and end by the person's clock, such as `22:00–08:00`.
    package var hours: String

    package init(from: Date, until: Date, hours: String) {
      (self.from, self.until, self.hours) = (from, until, hours)
    }
  }

  /// A mute that lasts.
  package struct Muted: Codable, Sendable, Equatable {
    /// The thing that is muted, such as `group Hikers`.
    package var what: String
    /// Its end, which may lie behind the band's.
    package var until: Date
    /// Its end by the person's clock, such as `2026-11-30 08:00`.
    package var time: String

    package init(what: String, until: Date, time: String) {
      (self.what, self.until, self.time) = (what, until, time)
    }
  }

  /// A local midnight.
  package struct Day: Codable, Sendable, Equatable {
    package var at: Date
    /// The day that begins, such as `2026-03-29`.
    package var day: String

    package init(at: Date, day: String) {
      (self.at, self.day) = (at, day)
    }
  }

  /// A change of the clocks.
  package struct Change: Codable, Sendable, Equatable {
    package var at: Date
    /// The local time before, such as `01:59`.
    package var before: String
    /// The local time after, such as `03:00`.
    package var after: String

    package init(at: Date, before: String, after: String) {
      (self.at, self.before, self.after) = (at, before, after)
    }
  }
}
