import EventLoop
import Glibc
import HTTP1
import System

/// A client's connection.
///
/// It receives and answers one request after another.
@RunnerLoop
final class ClientConnection {
  /// What the connection waits for.
  enum Phase {
    /// The client's next request; nothing of it has come yet.
    case idle
    /// The rest of the client's request.
    case receiving
    /// The function.
    case working
    /// The client, which must read its answer.
    case answering
    /// The client or the pages that send to it: either may end the answer.
    case streaming
    /// The client, which has its last answer and must close.
    case leaving
    case closed
  }

  /// A client with its last answer has only this fraction of its time limit to close.
  private static let shareForLeaving = 10

  let server: HTTPServer
  let descriptor: Int32
  /// Who has opened the connection.
  let peer: IPAddress?
  private(set) var phase = Phase.idle
  /// Whether it has had an answer.
  private(set) var isUsed = false
  /// It has another value in each phase.
  private(set) var turn: UInt = 1
  private var countedTurn: UInt = 0
  private(set) var age = 0

  /// The head of the request that is coming, until it is complete.
  var headReader = HeadReader()
  var head: RequestHead?
  /// What the head asks for.
  var route: Route?
  var body = RequestBody()
  /// How much of the memory for bodies this connection uses.
  private var memory = 0
  /// The bytes after the request that is being answered.
  private var pending: [UInt8] = []
  private var isTaking = false

  /// What has to be sent.
  var output: [UInt8] = []
  /// How much of ``output`` the system has taken.
  var sent = 0
  var closesAfterwards = false
  /// Called when its answer without an end has one.
  package var onEnd: (@RunnerLoop () -> Void)?
  /// How much memory its unread answer uses.
  private(set) var unread = 0
  private var interest = Interest.read

  init(_ descriptor: Int32, from peer: IPAddress?, server: HTTPServer) {
    (self.descriptor, self.peer, self.server) = (descriptor, peer, server)
  }

  /// Starts to watch the connection; the loop keeps it alive until it is closed.
  func open() {
    RunnerLoop.loop.watch(descriptor, for: interest) { [self] _ in
      flush()
      phase == .answering ? send() : receive()
    }
    wait()
  }

  /// Answers the request that a function is working on.
  func finish(_ answer: HTTP1Answer) {
    guard phase == .working else { return }
    self.answer(answer)
  }

  /// Sends the only answer of the request.
  func answer(_ answer: HTTP1Answer, closing: Bool = false) {
    server.answers(answer.status)
    closesAfterwards = closing || server.isDraining || head?.keepsOpen != true
    let sequel: HTTP1Answer.Sequel = closesAfterwards ? .close : head?.isOld == true ? .keepAlive : .usual
    output = answer.bytes(date: server.date(), sequel, isHead: head?.request.method == "HEAD")
    sent = 0
    enter(.answering)
    send()
  }

  /// Lets the function work.
  func work() { enter(.working) }

  /// Called when a part of a request has come.
  func begin() {
    if phase == .idle { enter(.receiving) }
  }

  /// Asks for the body, if the client waits for that.
  func invite() {
    let line = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    _ = Glibc.send(descriptor, line, line.count, Int32(MSG_NOSIGNAL))
  }

  /// Takes memory for the received part of the body, or gives it back; `false` if there is none left.
  func accountForBody() -> Bool {
    let growth = body.memory - memory
    guard growth <= 0 || server.memory.hasRoom(for: growth) else { return false }
    memory += growth
    growth < 0 ? server.memory.give(-growth) : server.memory.take(growth)
    return true
  }

  /// Counts the time that the client takes; called at equal intervals.
  func tick(limit: Int) {
    // A stream has no limit while its client reads.
    guard phase != .working, phase != .streaming || sent < output.count else { return age = 0 }
    age += 1
    if age > (phase == .leaving ? limit / Self.shareForLeaving : limit) { close() }
  }

  func close() {
    guard phase != .closed else { return }
    enter(.closed)
    noteEnd()
    pending = []
    forgetAnswer()
    forgetRequest()
    RunnerLoop.loop.unwatch(descriptor)
    Glibc.close(descriptor)
    server.closed(self)
  }

  private func receive() {
    // Bytes that a client sends too early wait in the kernel.
    guard phase != .working else { return watch([]) }
    guard phase != .closed else { return }
    let buffer = HTTPServer.buffer
    // Bytes of the next request are not read together with a body.
    let most = head == nil ? HeadReader.largest : min(buffer.count, max(body.expected ?? HeadReader.largest, 1))
    let count = recv(descriptor, buffer.baseAddress, most, 0)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return close() }
    if phase != .leaving, phase != .streaming { take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
  }

  /// Takes bytes that have come.
  ///
  /// They may be several requests.
  private func take(_ bytes: UnsafeRawBufferPointer) {
    isTaking = true
    var rest = bytes[...]
    while !rest.isEmpty, phase == .idle || phase == .receiving {
      rest = rest.dropFirst(consume(UnsafeRawBufferPointer(rebasing: rest)))
    }
    isTaking = false
    if phase == .working || phase == .answering { pending += rest }
    wait()
  }

  func send() {
    while sent < output.count {
      let count = output.withUnsafeBytes { bytes in
        Glibc.send(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EAGAIN {
        keep()
        wait()
        return watch(.write)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return close() }
      sent += count
    }
    answered()
  }

  /// Counts the answer that its client does not read at once.
  private func keep() {
    guard unread == 0 else { return }
    server.makeRoom(forAnswer: output.count)
    unread = output.count
    server.unread.take(unread)
  }

  private func forgetAnswer() {
    server.unread.give(unread)
    (output, unread) = ([], 0)
  }

  private func answered() {
    isUsed = true
    forgetAnswer()
    forgetRequest()
    if closesAfterwards || server.isDraining {
      enter(.leaving)
      pending = []
      shutdown(descriptor, Int32(SHUT_WR))
    } else {
      enter(.idle)
    }
    watch(.read)
    guard !isTaking else { return }
    wait()
    guard !pending.isEmpty else { return }
    let bytes = pending
    pending = []
    bytes.withUnsafeBytes { take($0) }
  }

  private func forgetRequest() {
    (head, route, body) = (nil, nil, RequestBody())
    _ = accountForBody()
  }

  /// From now on the connection waits for its client.
  private func wait() {
    guard ![.closed, .working, .streaming].contains(phase), countedTurn != turn else { return }
    countedTurn = turn
    server.waits(self)
  }

  func watch(_ interest: Interest) {
    guard interest != self.interest else { return }
    self.interest = interest
    RunnerLoop.loop.update(descriptor, to: interest)
  }

  func enter(_ phase: Phase) {
    if self.phase == .working { server.working -= 1 }
    if phase == .working { server.working += 1 }
    (self.phase, age) = (phase, 0)
    turn += 1
    server.changed()
  }
}
