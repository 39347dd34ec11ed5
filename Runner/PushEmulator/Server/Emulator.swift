import EventLoop
import FoundationEssentials
import FunctionKit
import HTTP2
import Signing

/// The emulator's state, on the loop that also serves its connections.
///
/// It answers requests of all connections: pushes as the services do, and all others as the control API.
actor Emulator {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let access: ControlAccess
  private let maxStreams: UInt32
  private let log: Log
  private var apns: APNS
  private var fcm = FCM()
  private var phones: Phones
  private var history: PushHistory
  private let journal: PushJournal
  private var clock: EmulatorClock
  private var connections = Connections()
  /// The listeners, after they were started.
  private var servers: [Face: HTTP2Server] = [:]
  /// The directory of the keys and accounts that are made by request.
  private let directory: EmulatorDirectory
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var lastWaiter = 0
  private var isTurnEndAwaited = false
  private var isStopped = false
  private var warned: Set<ProviderTokenText.Oddity> = []

  init(
    loop: EventLoop, options: ServeOptions, apns: APNS, history: PushHistory, journal: sending PushJournal,
    directory: EmulatorDirectory, log: Log
  ) {
    (self.loop, self.apns, self.history, self.journal, self.log) = (loop, apns, history, journal, log)
    self.directory = directory
    access = ControlAccess(host: options.host)
    maxStreams = options.maxStreams
    phones = Phones(registry: DeviceRegistry(isStrict: options.isStrict), activities: Activities(history.all))
    clock = EmulatorClock(path: options.clockPath)
    // All phones are online now.
    phones.activities.deliverKept(where: { _ in true }, at: clock.now)
  }

  /// Records the listeners in the order of the faces, and makes the account of the first project; returns its file's
  /// path.
  func begin(_ servers: [HTTP2Server]) throws(BadRequest) -> String {
    self.servers = Dictionary(uniqueKeysWithValues: zip(Face.allCases, servers))
    return try addAccount(ServiceAccount.defaultProject)
  }

  /// Writes the open records, and from now on lets no request wait.
  func stop() {
    isStopped = true
    finishTurn()
  }

  func connected(_ info: HTTP2ConnectionInfo, _ face: Face) {
    connections.add(info, face, at: now())
  }

  func disconnected(_ info: HTTP2ConnectionInfo, _ face: Face) {
    let refused = servers[face].flatMap { $0.assumeIsolated { $0.statistics(of: info) } }?.refusedStreams
    guard let connection = connections.remove(info, face, at: now()) else { return }
    connection.refusedStreams = refused ?? 0
    apns.tokens.updates.forget(connection: connection.number)
  }

  func receive(_ request: HTTP2Request, _ responder: HTTP2Responder, _ face: Face) {
    guard let connection = connections[responder.connection, face] else { return }
    connection.requests += 1
    connection.responder = responder
    connection.newestStream = max(connection.newestStream, responder.streamID)
    if face == .fcm, request.path == "/token" {
      receiveAssertion(request, responder, connection)
    } else if face == .fcm, FCM.isPath(request.path) {
      let now = now()
      conclude(fcm.judge(request, to: &phones, now: now), responder, connection, at: now)
    } else if face != .fcm, PushRequest.isPath(request.path) {
      let now = now()
      let judgement = apns.judge(PushRequest(request), on: connection, to: &phones, now: now)
      if judgement.provider != nil { allowStreams(connection, responder) }
      conclude(judgement, responder, connection, at: now)
    } else if face != .fcm, PushRequest.isChannelPath(request.path) {
      receiveCall(PushRequest(request), responder, connection)
    } else {
      receiveControl(request, responder, connection)
    }
  }

  /// Answers a request for channels when its time has come.
  private func receiveCall(_ request: PushRequest, _ responder: HTTP2Responder, _ connection: Connection) {
    let now = now()
    let call = apns.judgeCall(request, on: connection, faults: &phones.faults, now: now)
    if call.provider != nil { allowStreams(connection, responder) }
    after(call.effect.delay) { [self] in
      guard connection.isServing(responder.streamID) else { return }
      responder.send(call.effect.answer, apns.perform(call), on: connection)
      finishAtEndOfTurn()
    }
  }

  private func receiveControl(_ request: HTTP2Request, _ responder: HTTP2Responder, _ connection: Connection) {
    do throws(BadRequest) {
      try access.check(
        authority: request.authority, origin: request.headers["origin"], fetchSite: request.headers["sec-fetch-site"])
      let question = try ControlRequest(method: request.method, path: request.path, body: request.body)
      allowStreams(connection, responder)
      let number = connection.number
      // It lives as long as the request may wait, at most a minute.
      Task { responder.respond(await answer(to: question, from: number)) }
    } catch {
      responder.respond(.refusal(error))
    }
  }

  private func receiveAssertion(_ request: HTTP2Request, _ responder: HTTP2Responder, _ connection: Connection) {
    let fault = phones.faults.effect(on: Fault.Target(service: .oauth, token: ""))
    let effect = fault?.effect ?? .accepted
    let response: HTTP2Response
    switch effect.answer {
    case .refused(let status, let reason, _, let retryAfter):
      response = .json(status, OAuth.Refusal(error: reason, description: reason).body, retryAfter: retryAfter)
    default: response = tokenResponse(request)
    }
    after(effect.delay) {
      if connection.isServing(responder.streamID) { responder.send(effect.answer, response, on: connection) }
    }
  }

  private func tokenResponse(_ request: HTTP2Request) -> HTTP2Response {
    guard request.method == "POST" else { return HTTP2Response(status: 405) }
    do throws(OAuth.Refusal) {
      return .json(200, try fcm.oauth.token(request.body, url: tokenURL, now: now()))
    } catch {
      return .json(error.error == "invalid_client" ? 401 : 400, error.body)
    }
  }

  private var tokenURL: String { servers[.fcm].map { "https://\($0.endpoint)/token" } ?? "" }

  /// Answers a push when its time has come, and accepts it if its effect says so.
  private func conclude(_ push: Judgement, _ responder: HTTP2Responder, _ connection: Connection, at now: Date) {
    let effect = push.effect
    guard effect.delay != nil else {
      take(push, connection: connection, now: now)
      return responder.send(effect.answer, push.response(on: connection), on: connection)
    }
    if effect.takesFirst { take(push, connection: connection, now: now) }
    after(effect.delay) { [self] in
      guard connection.isServing(responder.streamID) else { return }
      if !effect.takesFirst { take(push, connection: connection, now: self.now()) }
      responder.send(effect.answer, push.response(on: connection), on: connection)
    }
  }

  private func after(_ delay: Int?, _ body: @escaping () -> Void) {
    guard let delay, delay > 0 else { return body() }
    loop.schedule(after: .milliseconds(delay), body)
  }

  private func allowStreams(_ connection: Connection, _ responder: HTTP2Responder) {
    guard !connection.isOpenToAll, connection.face != .fcm else { return }
    connection.isOpenToAll = true
    responder.setMaxConcurrentStreams(maxStreams)
  }

  /// The emulator's time; the clock's file is checked once in a turn of the loop.
  private func now() -> Date {
    if !isTurnEndAwaited {
      clock.refresh()
      finishAtEndOfTurn()
    }
    return clock.now
  }

  /// Keeps a push, and gives it to its device or lets it wait.
  private func take(_ push: Judgement, connection: Connection, now: Date) {
    let seq = history.lastSeq + 1
    let (isStored, missed) = phones.hold(push, seq: seq, now: now)
    let record = PushRecord(
      seq: seq, receivedAt: now, connection: connection.number, push, storedOffline: isStored, missed: missed)
    connection.pushes += 1
    history.append(record)
    journal.append(record)
    if isStored == nil || push.channel != nil, let why = phones.activities.receive(record, at: now) {
      log.warning("A phone ignores a push for a Live Activity", ["push": "\(seq)", "problem": why])
    }
    push.provider?.oddities.forEach(warn)
    finishAtEndOfTurn()
  }

  /// The pushes of a query, with its wait.
  private func pushes(_ query: PushQuery) async -> PushHistory.Page {
    let deadline = ContinuousClock.now + query.wait
    var scan = PushScan(query, in: history)
    while true {
      scan.advance(in: history)
      let left = ContinuousClock.now.duration(to: deadline)
      if scan.isEnough || left <= .zero || isStopped { return scan.page }
      await nextPush(within: left)
    }
  }

  /// The screens of a query, and the number of all devices that it fits.
  private func screens(_ query: PushQuery) -> (screens: [DeviceScreen], total: Int) {
    let pushes = phones.held.arrivals(history.all).lazy.filter(query.matches)
    if let last = query.last { return DeviceScreen.newest(last, pushes) }
    let screens = DeviceScreen.all(pushes)
    return (screens, screens.count)
  }

  /// Forgets pushes, the devices' instructions, faults, and the provider tokens that came.
  private func reset() throws(FunctionError) {
    history.removeAll()
    phones = Phones(registry: DeviceRegistry(isStrict: phones.registry.isStrict))
    apns.tokens.updates = TokenUpdates()
    try journal.removeAll()
  }

  private func nextPush(within limit: Duration) async {
    lastWaiter += 1
    let waiter = lastWaiter
    let timer = loop.schedule(after: limit) { self.release(waiter) }
    await withCheckedContinuation { waiting[waiter] = $0 }
    loop.cancel(timer)
  }

  private func release(_ waiter: Int) {
    waiting.removeValue(forKey: waiter)?.resume()
  }

  private func warn(_ oddity: ProviderTokenText.Oddity) {
    guard warned.insert(oddity).inserted else { return }
    log.warning("A provider token with a deviation is accepted", ["problem": oddity.rawValue])
  }

  /// One write and one wake-up for all pushes of one turn of the loop.
  private func finishAtEndOfTurn() {
    guard !isTurnEndAwaited else { return }
    isTurnEndAwaited = true
    loop.atEndOfTurn { self.finishTurn() }
  }

  private func finishTurn() {
    isTurnEndAwaited = false
    for waiter in waiting.keys { release(waiter) }
    do throws(FunctionError) {
      try journal.flush()
      if let channels = apns.channels.changes() { try Files.replace(directory.channelsPath, with: channels) }
    } catch {
      log.error("The pushes and channels could not be written", ["error.cause": error.message])
    }
  }
}

/// The control API.
extension Emulator {
  /// Answers a request, which may have to wait.
  ///
  /// - Parameter connection: the number of the caller's connection.
  private func answer(to request: ControlRequest, from connection: Int) async -> HTTP2Response {
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
    case .devices(let query): return .json(200, devices(query, at: now))
    case .changeDevice(let subject, let change):
      phones.registry.apply(try DeviceChange(change, now: Int(now.timeIntervalSince1970 * 1_000)), to: subject)
      phones.deliverHeld(in: history, now: now)
    case .forgetDevice(let subject):
      guard phones.registry.remove(subject) else { throw BadRequest(status: 404, "That device has no instruction.") }
      phones.deliverHeld(in: history, now: now)
    case .activities(let query):
      return .json(200, phones.activities.json(of: query.fits, at: now))
    case .channels: return .json(200, Array(apns.channels.json(phones.activities, at: now).bytes))
    case .startToken(let token): return .json(201, Array(RawJSON(object: [("token", RawJSON(token.text))]).bytes))
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

  private func devices(_ query: PushQuery, at now: Date) -> [UInt8] {
    let (screens, total) = screens(query)
    let activities = phones.activities.shown(at: now)
    let list = JSONText.array(
      screens.prefix(query.limit).map { screen in
        screen.json(notes: query.notes, activities: (activities[screen.token] ?? []).map { $0.json(at: now) })
      })
    return JSONText.object([
      "devices": list, "total": Array("\(total)".utf8),
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
        connection.goAway(code: goAway.code, goAway.data, skipping: goAway.skip, after: connection.newestStream)
      } else {
        connection.responder?.dropConnection()
      }
    }
    return JSONText.object(["connections": Array("\(others.count)".utf8)])
  }
}

/// Keys of APNs' providers and accounts of FCM's.
extension Emulator {
  private func answer(toKeys request: ControlRequest) throws(BadRequest) -> HTTP2Response {
    switch request {
    case .addKey(let json): return try addKey(json)
    case .removeKey(let keyID):
      guard apns.tokens.keys.remove(keyID) else { throw BadRequest(status: 404, "There is no key \(keyID).") }
      return HTTP2Response(status: 204)
    case .addAccount(let projectID):
      let path = try addAccount(projectID)
      return .json(201, Array(RawJSON(object: [("projectId", RawJSON(projectID)), ("path", RawJSON(path))]).bytes))
    default: return .json(200, JSONText.object(["keys": try apns.tokens.keys.list()]))
    }
  }

  /// Makes an account for a project, or takes the one in the directory; returns the file's path.
  private func addAccount(_ projectID: String) throws(BadRequest) -> String {
    let path = directory.accountPath(projectID)
    guard let account = try? ServiceAccount.prepare(projectID, path: path, tokenURL: tokenURL) else {
      throw BadRequest(status: 500, "The account could not be written to \(path).")
    }
    fcm.oauth.add(account)
    return path
  }

  /// Registers a key.
  ///
  /// Without a key in the request a new one is made, and the answer names its `.p8` file.
  private func addKey(_ json: RawJSON) throws(BadRequest) -> HTTP2Response {
    guard json["publicKey"] == nil, json["privateKey"] == nil, json["path"] == nil else {
      apns.tokens.keys.add(try ProviderKey(json))
      return HTTP2Response(status: 204)
    }
    guard let new = try? SigningKey.generate(), let pem = try? new.privatePEM() else {
      throw BadRequest(status: 500, "No key could be made.")
    }
    let key = try ProviderKey(
      RawJSON(object: json.members.map { ($0.name, $0.value) } + [("privateKey", RawJSON(pem))]))
    let path = directory.keyPath(key.keyID)
    do throws(SigningError) {
      try PEMFile.write(pem, to: path, isSecret: true)
    } catch {
      throw BadRequest(status: 500, "\(error).")
    }
    apns.tokens.keys.add(key)
    return .json(201, Array(RawJSON(object: [("keyId", RawJSON(key.keyID)), ("path", RawJSON(path))]).bytes))
  }
}

/// The whole state as one document, for another time or place.
extension Emulator {
  private func snapshot() throws(BadRequest) -> [UInt8] {
    JSONText.object([
      "clock": Array(clock.json.bytes), "keys": try apns.tokens.keys.list(),
      "devices": Array(phones.registry.json.bytes), "faults": JSONText.array(phones.faults.faults.map(\.json.bytes)),
      "held": Array(phones.held.json.bytes), "channels": Array(apns.channels.json.bytes),
      "next": Array("\(history.lastSeq)".utf8),
      "pushes": JSONText.array(history.all.map(\.json.bytes)),
    ])
  }

  /// Takes the parts of a snapshot.
  ///
  /// Missing parts stay as they are.
  ///
  /// Nothing changes if a part cannot be read.
  private func restore(_ json: RawJSON) throws(BadRequest) {
    guard !json.members.isEmpty else { throw BadRequest("The snapshot is empty.") }
    try json.checkMembers(["clock", "keys", "devices", "faults", "held", "channels", "next", "pushes"])
    var (clock, phones, keys, history) = (clock, phones, [ProviderKey](), self.history)
    if let setting = json.field("clock") { try clock.set(setting) }
    for key in json.field("keys")?.elements ?? [] { keys.append(try ProviderKey(key)) }
    let channels = try json.field("channels").map { json throws(BadRequest) in try BroadcastChannels(json) }
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
      phones.activities = Activities(phones.held.arrivals(history.all))
      try rewrite(records)
    }
    if json.field("keys") != nil { apns.tokens.keys = ProviderKeys(keys, generation: apns.tokens.keys.generation + 1) }
    (self.clock, self.phones, self.history) = (clock, phones, history)
    if let channels { apns.channels = channels }
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
