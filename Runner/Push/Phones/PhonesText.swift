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
    let waiting = later.map { ", \($0.words) \(clock.full($0.at))" } ?? ""
    let difference = counted.flatMap { isIconWrong ? ", but \($0) are unread" : nil } ?? ""
    let head = "\(owner) · \([app ?? "", platform, "\(token)…"].filter { !$0.isEmpty }.joined(separator: " "))"
    let count = badge.map { " · badge \($0)\(difference)" } ?? ""
    return [head + count + waiting] + activities.map { "  " + $0.line(clock) }
      + notes.map { note in
        let texts = [note.title, note.body].compactMap(\.self).joined(separator: ": ")
        let buttons = note.buttons.isEmpty ? "" : " [\(note.buttons.map(\.title).joined(separator: ", "))]"
        let done = note.done.isEmpty ? "" : " (\(note.done.joined(separator: ", ")))"
        return "  \(clock.full(note.at))  \(texts)\(buttons)\(done)"
      } + (others > 0 ? ["  and \(others) before"] : [])
  }
}

extension PhoneActivity {
  fileprivate func line(_ clock: LocalClock) -> String {
    let about = [title ?? "Private event", subtitle].compactMap(\.self).joined(separator: ", ")
    let times = options.map { "\(clock.full($0.start)): \($0.yes)\($0.isLeading ? " leads" : "")" }
    let facts = [
      status ?? state, phase == .active ? nil : phase.rawValue,
      votes.map { "\($0)\(members.map { " of \($0)" } ?? "") voted" }, deadline.map { "until \(clock.full($0))" },
      channel.map { _ in "by a channel" },
    ]
    return "\(clock.full(at))  Live Activity: \(about) (\((facts + times).compactMap(\.self).joined(separator: ", ")))"
  }
}

extension PhoneFault {
  fileprivate var line: String {
    let whom = token.map { "pushes to \($0)…" } ?? "all pushes"
    let left = times.map { ", \(fired) of \($0) times" } ?? ", \(fired) times until now"
    return "Fault \(number): \(whom): \(words)\(left)"
  }
}
