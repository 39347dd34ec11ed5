import FoundationEssentials
import FunctionKit
import HTTP2

extension Emulator {
  /// Answers the control API.
  ///
  /// - Parameter connection: the number of the caller's connection.
  func answer(to request: ControlRequest, from connection: Int) async -> HTTP2Response {
    if case .pushes(let query) = request {
      let page = await pushes(query)
      let list = JSONText.array(page.records.map(\.json.bytes))
      return .json(200, JSONText.object(["pushes": list, "next": Array(String(page.next).utf8)]))
    }
    do throws(BadRequest) {
      return try answer(at: now(), request, from: connection)
    } catch {
      return .refusal(error)
    }
  }

  private func answer(
    at now: Date, _ request: ControlRequest, from connection: Int
  ) throws(BadRequest) -> HTTP2Response {
    switch request {
    case .pushes: return HTTP2Response(status: 500)
    case .push(let seq): return .json(200, Array(try push(seq).json.bytes))
    case .simulatorFile(let seq, let isPlain):
      var file = HTTP2Response.json(200, try SimulatorFile.contents(of: try push(seq), isPlain: isPlain))
      file.headers.append(HTTP2Header("content-disposition", "attachment; filename=\"push-\(seq).apns\""))
      return file
    case .devices(let query): return .json(200, devices(query))
    case .changeDevice(let subject, let change):
      phones.registry.apply(try DeviceChange(change, now: Int(now.timeIntervalSince1970 * 1_000)), to: subject)
      phones.deliverHeld(after: history.lastSeq, now: now)
    case .forgetDevice(let subject):
      guard phones.registry.remove(subject) else { throw BadRequest(status: 404, "That device has no instruction.") }
      phones.deliverHeld(after: history.lastSeq, now: now)
    case .faults: return .json(200, JSONText.object(["faults": JSONText.array(phones.faults.faults.map(\.json.bytes))]))
    case .addFault(let rule):
      let id = try phones.faults.add(rule)
      return .json(201, JSONText.object(["id": Array("\(id)".utf8)]))
    case .removeFault(let id): try phones.faults.remove(id)
    case .clock: return .json(200, Array(clock.json.bytes))
    case .setClock(let json):
      try clock.set(json)
      return .json(200, Array(clock.json.bytes))
    case .connections: return .json(200, connectionList())
    case .disturb(let answer, let only): return .json(200, try disturb(answer, only, except: connection))
    case .keys, .addKey, .removeKey, .addAccount: return try answer(toKeys: request)
    case .snapshot: return .json(200, try snapshot())
    case .restore(let json): try restore(json)
    case .reset:
      do throws(FunctionError) {
        try reset()
      } catch {
        throw BadRequest(status: 500, error.message)
      }
    }
    return HTTP2Response(status: 204)
  }

  private func push(_ seq: Int) throws(BadRequest) -> PushRecord {
    guard let push = history[seq] else { throw BadRequest(status: 404, "There is no push \(seq).") }
    return push
  }

  private func devices(_ query: PushQuery) -> [UInt8] {
    let screens = screens(query)
    let list = JSONText.array(screens.prefix(query.limit).map(\.json))
    return JSONText.object([
      "devices": list, "total": Array("\(screens.count)".utf8),
      "shown": Array("\(screens.reduce(0) { $0 + $1.shown })".utf8),
      "duplicates": Array("\(screens.reduce(0) { $0 + $1.duplicates })".utf8),
      "waiting": Array("\(phones.held.count)".utf8),
    ])
  }

  private func connectionList() -> [UInt8] {
    let all = connections.all.map { connection in
      connection.json(
        connection.responder.flatMap { responder in
          servers[connection.face]?.assumeIsolated { $0.statistics(of: responder.connection) }
        })
    }
    let refused = all.reduce(connections.refusedBefore) { $0 + ($1["refusedStreams"]?.intValue ?? 0) }
    return JSONText.object([
      "open": Array("\(connections.openCount)".utf8), "total": Array("\(connections.total)".utf8),
      "withPushes": Array("\(connections.all.count { $0.pushes > 0 })".utf8),
      "refusedStreams": Array("\(refused)".utf8), "connections": JSONText.array(all.map(\.bytes)),
    ])
  }

  /// Drops connections that have had a request, or sends them a GOAWAY.
  private func disturb(_ answer: Answer, _ only: Int?, except asking: Int) throws(BadRequest) -> [UInt8] {
    let others = connections.opened.filter {
      $0.responder != nil && $0.number != asking && only ?? $0.number == $0.number
    }
    if let only, others.isEmpty { throw BadRequest(status: 404, "There is no open connection \(only) besides yours.") }
    for connection in others {
      if case .goAway(let goAway) = answer {
        sendAway(connection, goAway, newest: connection.newestStream)
      } else {
        connection.responder?.dropConnection()
      }
    }
    return JSONText.object(["connections": Array("\(others.count)".utf8)])
  }
}
