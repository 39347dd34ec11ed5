import FoundationEssentials
import FunctionKit

extension HeldPushes {
  /// The numbers of waiting and late pushes, for `GET /snapshot`.
  var json: RawJSON {
    let late = late.map { RawJSON(array: [RawJSON($0.after), RawJSON($0.seq)]) }
    return RawJSON(object: [
      ("waiting", RawJSON(array: waitingSeqs.sorted().map { RawJSON($0) })), ("late", RawJSON(array: late)),
    ])
  }

  /// Reads the form of ``json``.
  ///
  /// The rest is in the pushes themselves.
  init(_ json: RawJSON?, _ history: PushHistory) throws(BadRequest) {
    self.init()
    for record in history.all where record.json["offline"] != nil { hold(record.seq, for: record.token, nil) }
    for element in json?["waiting"]?.elements ?? [] {
      guard let record = element.intValue.flatMap({ history[$0] }) else {
        throw BadRequest("held.waiting names a push that is not in the snapshot.")
      }
      hold(record.seq, for: record.token, record.storage)
    }
    for pair in json?["late"]?.elements ?? [] {
      guard let numbers = pair.elements?.compactMap(\.intValue), numbers.count == 2 else {
        throw BadRequest("held.late has pairs of numbers.")
      }
      noteLate(after: numbers[0], seq: numbers[1])
    }
  }
}

extension PushRecord {
  /// Where the push waits, and until when.
  fileprivate var storage: (slot: HeldPushes.Slot, expiresAt: Date?) {
    let expiresAt = json["expiration"]?.intValue.map { Date(timeIntervalSince1970: Double($0)) }
    guard service == .fcm else { return (.app(SimulatorFile.bundleID(of: self) ?? ""), expiresAt) }
    let key = json["payload"]?["android"]?.either("collapse_key", "collapseKey")?.stringValue
    return (key.map { .key($0) } ?? .alone(seq), expiresAt)
  }
}
