package import FoundationEssentials
import FunctionKit

extension World {
  /// The kinds of acts.
  package enum Deed: Sendable {
    case createFeedback, comment, vote, flood, takeBack, changeStatus
    case propose, voteOnProposal, changeOptions, withdrawVote, confirm, collide, computeConflicts, befriend, invite,
      answer
    case insertEntry, readEntry, loseBadge, look, read, readAll
    case changePolicy, changeZone, changeMute, changeSwitch, changeDevice, changeMembership, sleepThroughMuch
  }

  /// Something that somebody did.
  package struct Act: Sendable {
    /// The statements that do it.
    package let sql: [String]
    /// The event that tells a function of it; `nil` where none is told.
    package let event: Event?
    /// The people whose act it is.
    package let actors: Set<String>
    /// Everybody about whom a decision must be made; `nil` where that is not known here.
    package let audience: Set<String>?
    /// When schedules have something to do because of it.
    package let moments: [Date]

    init(
      _ sql: [String], _ event: Event? = nil, by actor: String? = nil, to audience: [String?]? = nil,
      moments: [Date] = []
    ) {
      (self.sql, self.event, self.moments) = (sql, event, moments)
      actors = actor.map { [$0] } ?? []
      self.audience = audience.map { Set($0.compactMap(\.self)) }
    }
  }

  /// An event about a row.
  package struct Event: Sendable {
    /// The function that it is for.
    package let function: String
    private let actor: String?
    private let row: String
    private let data: String

    /// - Parameter actor: who did it, as the event itself says.
    init(_ function: String, _ new: Row, from old: Row? = nil, by actor: String? = nil) {
      (self.function, self.actor, row) = (function, actor, new.id)
      data = """
        {"type":"\(old == nil ? "INSERT" : "UPDATE")","table":"\(new.table)","schema":"public","record":\(new.json),\
        "old_record":\(old?.json ?? "null")}
        """
    }

    private init(_ other: Event, data: String) {
      (function, actor, row, self.data) = (other.function, other.actor, other.row, data)
    }

    /// The same about a row that is not there.
    func aboutNoRow(_ id: String) -> Event { Event(self, data: data.replacing(row, with: id)) }

    /// The document that a function is given, as one line.
    package func document(_ id: String, from source: String = "/db", at time: Date) -> String {
      let actor = actor.map { #","actorid":"\#($0)""# } ?? ""
      return """
        {"specversion":"1.0","id":"\(id)","source":"\(source)","type":"dev.push-functions.row",\
        "now":"\(RFC3339.string(time))"\(actor),"data":\(data)}
        """
    }
  }
}
