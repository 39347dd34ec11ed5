import Foundation
import FunctionKit

extension BatchWorld {
  /// An event without its time, which a line may repeat later.
  struct Told {
    let id: String
    let source: String
    let actor: String?
    let data: String
  }

  /// Lines that no function takes.
  private static let invalid = [
    "nonsense", "{}", "[1]", #"{"specversion":"1.0","id":"x"}"#, #"{"specversion":"0.3","id":"x","source":"/db"}"#,
    #"{"specversion":"1.0","id":"bad1","source":"/db","type":"dev.push-functions.row","data":null}"#,
    """
    {"specversion":"1.0","id":"bad2","source":"/db","type":"dev.push-functions.row","data":{"type":"INSERT",\
    "table":"projects","schema":"public","record":{"id":"00000000-0000-4000-8000-000000000000"},"old_record":null}}
    """,
    """
    {"specversion":"1.0","id":"bad3","source":"/db","type":"dev.push-functions.row","data":{"type":"DELETE",\
    "table":"votes","schema":"public","record":null,"old_record":{"id":"00000000-0000-4000-8000-000000000000"}}}
    """,
    """
    {"specversion":"1.0","id":"bad4","source":"/db","type":"dev.push-functions.row","data":{"type":"INSERT",\
    "table":"votes","schema":"public","record":{"id":7},"old_record":null}}
    """,
  ]

  /// Something happens, and the function gets an event: a new one, an earlier one again, or one without a row.
  mutating func happen() {
    pass()
    switch random.number(0..<100) {
    case 0..<5: chunk.lines.append(random.pick(Self.invalid))
    case 5..<7: chunk.lines.append("")
    case 7..<16 where hasRepetitions && !told.isEmpty:
      chunk.lines.append(line(random.pick(told.suffix(12).map(\.self))))
    case 16..<22 where hasRepetitions && !told.isEmpty:
      // The same change by another entrance.
      let earlier = random.pick(told.suffix(12).map(\.self))
      tell(Told(id: "h\(told.count)", source: "/http", actor: earlier.actor, data: earlier.data))
    case 22..<25 where hasRepetitions && !told.isEmpty:
      // Another id of the same source: the row was deleted and inserted again.
      let earlier = random.pick(told.suffix(12).map(\.self))
      tell(Told(id: "e\(told.count)", source: earlier.source, actor: earlier.actor, data: earlier.data))
    default: act()
    }
  }

  private mutating func act() {
    // Now and then the row is gone before anybody reads it.
    let writes = !random.percent(6)
    switch function {
    case "feedback-created": createFeedback(writes: writes)
    case "comment-added": comment(writes: writes)
    case "vote-cast": vote(writes: writes)
    case "status-changed": changeStatus(writes: writes)
    case "proposal-vote-cast": voteOnProposal(writes: writes)
    case "notification-created": insertEntry(writes: writes)
    default: complete(writes: writes)
    }
  }

  mutating func tell(
    _ type: String, _ table: String, _ record: String, old: String = "null", by actor: String? = nil
  ) {
    let data = """
      {"type":"\(type)","table":"\(table)","schema":"public","record":\(record),"old_record":\(old)}
      """
    tell(Told(id: "e\(told.count)", source: "/db", actor: actor, data: data))
  }

  private mutating func tell(_ event: Told) {
    told.append(event)
    chunk.lines.append(line(event))
  }

  private func line(_ event: Told) -> String {
    let actor = event.actor.map { #","actorid":"\#($0)""# } ?? ""
    return """
      {"specversion":"1.0","id":"\(event.id)","source":"\(event.source)","type":"dev.push-functions.row",\
      "now":"\(time)"\(actor),"data":\(event.data)}
      """
  }
}
