import Documents
import Terminal

extension PhonesDocument {
  var text: String {
    let clock = LocalClock(zone: nil)
    let lines =
      phones.isEmpty ? ["No phone has got a push yet."] : phones.flatMap { $0.lines(clock) }
    return
      (lines + (hasMore ? ["More phones have got pushes; --count and --user show them."] : [])
      + faults.map(\.line)).map(\.onOneCleanLine.trimmedAtEnd).joined(separator: "\n")
  }
}

extension Phone {
  fileprivate func lines(_ clock: LocalClock) -> [String] {
    let owner = person?.title ?? "nobody whom the database knows"
    let later = waiting.map { ", \($0) more at \(nextAt.map(clock.full) ?? "another time")" }
    let difference = later ?? counted.flatMap { $0 == badge ?? 0 ? nil : ", but \($0) are unread" } ?? ""
    let head = "\(owner) · \([app, platform, "\(token)…"].compactMap(\.self).joined(separator: " "))"
    let count = badge.map { " · badge \($0)\(difference)" } ?? ""
    return [head + count]
      + notes.map { note in
        let texts = [note.title, note.body].compactMap(\.self).joined(separator: ": ")
        let buttons = note.buttons.isEmpty ? "" : " [\(note.buttons.map(\.title).joined(separator: ", "))]"
        let done = note.done.isEmpty ? "" : " (\(note.done.joined(separator: ", ")))"
        return "  \(clock.full(note.at))  \(texts)\(buttons)\(done)"
      } + (others > 0 ? ["  and \(others) before"] : [])
  }
}

extension PhoneFault {
  fileprivate var line: String {
    let whom = token.map { "pushes to \($0)…" } ?? "all pushes"
    let left = times.map { ", \(fired) of \($0) times" } ?? ", \(fired) times until now"
    return "Fault \(number): \(whom): \(words)\(left)"
  }
}
