import FunctionKit

/// The whole state as one document, for another time or place.
extension Emulator {
  func snapshot() throws(BadRequest) -> [UInt8] {
    JSONText.object([
      "clock": Array(clock.json.bytes), "keys": try keyList(), "devices": Array(phones.registry.json.bytes),
      "faults": JSONText.array(phones.faults.faults.map(\.json.bytes)), "held": Array(phones.held.json.bytes),
      "next": Array("\(history.lastSeq)".utf8), "pushes": JSONText.array(history.all.map(\.json.bytes)),
    ])
  }

  /// Takes the parts of a snapshot.
  ///
  /// Missing parts stay as they are.
  ///
  /// Nothing changes if a part cannot be read.
  func restore(_ json: RawJSON) throws(BadRequest) {
    guard !json.members.isEmpty else { throw BadRequest("The snapshot is empty.") }
    try json.checkMembers(["clock", "keys", "devices", "faults", "held", "next", "pushes"])
    var (clock, phones, keys, history) = (clock, phones, [ProviderKey](), self.history)
    if let setting = json.field("clock") { try clock.set(setting) }
    for key in json.field("keys")?.elements ?? [] { keys.append(try ProviderKey(key)) }
    if let devices = json.field("devices") {
      phones.registry = DeviceRegistry(isStrict: phones.registry.isStrict)
      try phones.registry.add(devices)
    }
    if let list = json.field("faults")?.elements {
      var faults: [Fault] = []
      for fault in list { faults.append(try Fault(fault)) }
      phones.faults = FaultScript(faults)
    }
    if let pushes = json.field("pushes")?.elements {
      let records = pushes.compactMap { PushRecord($0) }
      guard records.count == pushes.count, zip(records, records.dropFirst()).allSatisfy({ $0.seq + 1 == $1.seq }) else {
        throw BadRequest("pushes must be those of a snapshot, in their order.")
      }
      let next = try json.number("next", in: 0...Int.max) ?? 0
      history = PushHistory(records, capacity: history.capacity, lastSeq: next)
      phones.held = try HeldPushes(json.field("held"), history)
      try rewrite(records)
    }
    if json.field("keys") != nil { apns.tokens.keys = ProviderKeys(keys, generation: apns.tokens.keys.generation + 1) }
    (self.clock, self.phones, self.history) = (clock, phones, history)
  }

  private func rewrite(_ records: [PushRecord]) throws(BadRequest) {
    do throws(FunctionError) {
      try journal.removeAll()
      for record in records { journal.append(record) }
      try journal.flush()
    } catch {
      throw BadRequest(status: 500, error.message)
    }
  }
}
