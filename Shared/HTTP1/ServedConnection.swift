import Glibc

/// A client's connection, which receives and answers one request after another.
final class ServedConnection {
  enum Phase {
    /// The client's next request is awaited; nothing of it has come yet.
    case idle
    case receiving
    /// The service has the request.
    case working
    case answering
    /// The client has its last answer and must close.
    case leaving
    case closed
  }

  let number: Int
  private let server: HTTP1Server
  private(set) var descriptor: Int32
  private(set) var phase = Phase.idle
  /// When the client's time is over, or the service's if ``hasDeadline``.
  private(set) var deadline: ContinuousClock.Instant
  /// The answer if the service's time is over first.
  private var late: HTTP1LateAnswer?

  private var headReader = HeadReader()
  private var head: RequestHead?
  private var body = RequestBody()
  /// The answer that is sent when the whole request has come.
  private var decided: HTTP1Answer?
  /// The bytes after the request that is being answered.
  private var pending: [UInt8] = []
  private var isTaking = false
  private var output: [UInt8] = []
  private var sent = 0
  private var closesAfterwards = false
  /// The size of the body that the service works on.
  private var taken = 0

  init(_ descriptor: Int32, number: Int, server: HTTP1Server) {
    (self.descriptor, self.number, self.server) = (descriptor, number, server)
    deadline = .now + server.limits.client
  }

  /// What it waits for.
  var interest: Int16 {
    switch phase {
    case .idle, .receiving, .leaving: Int16(POLLIN)
    case .answering: Int16(POLLOUT)
    // Bytes that a client sends too early wait in the kernel.
    case .working, .closed: 0
    }
  }

  /// Whether its time is limited now.
  var hasDeadline: Bool { phase != .working || late != nil }

  /// The memory of its body.
  var memory: Int { body.memory + taken }

  /// The memory of the answer that its client has not read yet.
  var unread: Int { phase == .answering ? output.count : 0 }

  /// Called when what it waits for has come.
  func proceed(_ events: Int16) {
    switch phase {
    case .idle, .receiving, .leaving: receive()
    case .answering: send()
    // The client is gone. Its answer is counted, and dropped.
    case .working: hangUp()
    case .closed: break
    }
  }

  /// Sends the only answer of the request.
  func answer(_ answer: HTTP1Answer, closing: Bool = false) {
    guard descriptor >= 0 else { return close() }
    closesAfterwards = closing || server.isDraining || head?.keepsOpen != true
    let sequel: HTTP1Answer.Sequel = closesAfterwards ? .close : head?.isOld == true ? .keepAlive : .usual
    (taken, late) = (0, nil)
    output = answer.bytes(date: server.date(), sequel, isHead: head?.request.method == "HEAD")
    sent = 0
    enter(.answering)
    send()
  }

  /// Lets a client that has begun a request send the rest of it, but not for long.
  func hurry(until deadline: ContinuousClock.Instant) {
    guard phase == .receiving else { return }
    self.deadline = min(self.deadline, deadline)
  }

  func close() {
    hangUp()
    phase = .closed
  }

  private func hangUp() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
    (output, pending, body, taken) = ([], [], RequestBody(), 0)
  }

  private func receive() {
    let most = head == nil ? HeadReader.largest : min(65_536, max(body.expected ?? HeadReader.largest, 1))
    var (received, error): (Int, Int32) = (0, 0)
    let bytes = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
      received = recv(descriptor, buffer.baseAddress, most, 0)
      (error, count) = (errno, max(0, received))
    }
    if received < 0, error == EAGAIN || error == EINTR { return }
    guard received > 0 else { return close() }
    if phase == .idle || phase == .receiving { take(bytes) }
  }

  /// Takes bytes that have come.
  ///
  /// They may be several requests.
  private func take(_ bytes: [UInt8]) {
    isTaking = true
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty, phase == .idle || phase == .receiving {
        rest = rest.dropFirst(consume(UnsafeRawBufferPointer(rebasing: rest)))
      }
      if phase == .working || phase == .answering { pending += rest }
    }
    isTaking = false
  }

  /// Takes a head or a part of a body.
  ///
  /// - Returns: how many bytes it took.
  private func consume(_ bytes: UnsafeRawBufferPointer) -> Int {
    do {
      return head == nil ? try consumeHead(bytes) : try consumeBody(bytes)
    } catch {
      answer(server.service.refusal(of: error), closing: true)
      return bytes.count
    }
  }

  private func consumeHead(_ bytes: UnsafeRawBufferPointer) throws(MalformedRequest) -> Int {
    let (found, used) = try headReader.take(bytes)
    if phase == .idle, found != nil || headReader.hasBegun { enter(.receiving) }
    guard let head = found else { return used }
    self.head = head
    body = RequestBody(head.framing)
    decide(server.service.answer(toHead: head.request))
    if case .length(let length) = head.framing {
      if length > server.limits.body { decide(server.service.refusal(ofBodyOver: server.limits.body)) }
      if !server.hasRoom(for: length) { decide(server.service.refusalForMemory) }
    }
    if body.isComplete {
      complete()
    } else if let decided, head.awaitsInvitation || isEndless {
      answer(decided, closing: true)
      return bytes.count
    } else if head.awaitsInvitation, used == bytes.count {
      let line = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
      _ = Glibc.send(descriptor, line, line.count, Int32(MSG_NOSIGNAL))
    }
    return used
  }

  private func consumeBody(_ bytes: UnsafeRawBufferPointer) throws(MalformedRequest) -> Int {
    let used = try body.take(bytes)
    if body.received > server.limits.body { decide(server.service.refusal(ofBodyOver: server.limits.body)) }
    if !server.hasRoom(for: 0) { decide(server.service.refusalForMemory) }
    if body.isComplete {
      complete()
    } else if isEndless, let decided {
      answer(decided, closing: true)
      return bytes.count
    }
    return used
  }

  /// Keeps no more of a body; the first such answer stays.
  private func decide(_ answer: HTTP1Answer?) {
    guard let answer, decided == nil else { return }
    decided = answer
    body.discard()
  }

  /// Whether the body is so large that it is not even read.
  private var isEndless: Bool {
    body.received + (body.expected.map { min($0, .max / 2) } ?? 0) > 16 * server.limits.body
  }

  /// Called when the whole request has come.
  private func complete() {
    if let decided { return answer(decided) }
    guard var request = head?.request else { return }
    request.body = body.release()
    taken = request.body.count
    enter(.working)
    let late = server.service.take(request, HTTP1Reply(connection: number, replies: server.replies))
    guard let late, let limit = server.limits.work else { return }
    self.late = late
    deadline = .now + limit
  }

  /// Answers in place of the service; the server drains, so that no other request follows for the service's answer.
  func answerLate() {
    if let late { answer(late(), closing: true) }
  }

  private func send() {
    while sent < output.count {
      let count = output.withUnsafeBytes { bytes in
        Glibc.send(
          descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EAGAIN { return server.makeRoom(besides: self) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return close() }
      sent += count
    }
    answered()
  }

  private func answered() {
    (output, head, decided, body) = ([], nil, nil, RequestBody())
    if closesAfterwards || server.isDraining {
      pending = []
      enter(.leaving)
      shutdown(descriptor, Int32(SHUT_WR))
      return
    }
    enter(.idle)
    guard !isTaking, !pending.isEmpty else { return }
    let bytes = pending
    pending = []
    take(bytes)
  }

  private func enter(_ phase: Phase) {
    self.phase = phase
    deadline = .now + server.limits.client / (phase == .leaving ? 10 : 1)
  }
}
