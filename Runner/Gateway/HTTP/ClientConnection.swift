import EventLoop
import FunctionKit
import Glibc
import HTTP1
import Manifest
import System

/// A client's connection: its descriptor, its memory and its age.
///
/// It receives and answers one request after another.
@RunnerLoop
final class ClientConnection {
  /// A client with its last answer has only this fraction of its time limit to close.
  private static let shareForLeaving = 10
  /// A client that leaves more than this of an answer without an end unread is left.
  private static let mostUnread = 262_144

  let descriptor: Int32
  private let server: HTTPServer
  /// The address that has opened the connection.
  private let peer: IPAddress?
  private var connection = HTTP1Connection(endless: 16 * HTTPTrigger.mostBytes)
  /// The phase that the server knows of.
  private var noted = HTTP1Connection.Phase.idle
  /// Whether it has had an answer.
  private(set) var isUsed = false
  /// The present phase's number.
  private(set) var phaseNumber: UInt = 1
  private var countedPhase: UInt = 0
  private(set) var age = 0
  /// The route for which the head of the present request asks.
  private var route: Route?
  /// How much of the memory for bodies this connection uses.
  private var memory = 0
  /// How much memory its unread answer uses.
  private(set) var unread = 0
  private var isFollowing = false
  private var interest = Interest.read
  /// Called when its answer without an end has one.
  package var onEnd: (@RunnerLoop () -> Void)?

  init(_ descriptor: Int32, from peer: IPAddress?, server: HTTPServer) {
    (self.descriptor, self.peer, self.server) = (descriptor, peer, server)
  }

  var phase: HTTP1Connection.Phase { connection.phase }

  /// Starts to watch the connection; the loop keeps it alive until it is closed.
  func open() {
    RunnerLoop.loop.watch(descriptor, for: interest) { [self] _ in
      if phase == .streaming { send() }
      phase == .answering ? send() : receive()
    }
    wait()
  }

  /// Answers the request that a function is working on.
  func finish(_ answer: HTTP1Answer) {
    if phase == .working { self.answer(answer) }
  }

  /// Counts the time that the client takes; called at equal intervals.
  func tick(limit: Int) {
    // A stream has no limit while its client reads.
    guard phase != .working, phase != .streaming || connection.unsent > 0 else { return age = 0 }
    age += 1
    if age > (phase == .leaving ? limit / Self.shareForLeaving : limit) { close() }
  }

  func close() {
    guard phase != .closed else { return }
    connection.close()
    noteChange()
    noteEnd()
    forgetAnswer()
    route = nil
    _ = accountForBody()
    RunnerLoop.loop.unwatch(descriptor)
    Glibc.close(descriptor)
    server.closed(self)
  }

  private func receive() {
    // Bytes that a client sends too early wait in the kernel.
    guard phase != .working else { return watch([]) }
    guard phase != .closed else { return }
    let buffer = HTTPServer.buffer
    let count = recv(descriptor, buffer.baseAddress, min(buffer.count, connection.wanted), 0)
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    guard count > 0 else { return close() }
    follow(connection.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
  }

  /// Does what bytes have led to, until others have to come, or an answer.
  private func follow(_ first: HTTP1Connection.Event?) {
    isFollowing = true
    var event = first
    while true {
      noteChange()
      if !accountForBody() { refuse(.bodiesTooLarge) }
      guard let present = event else { break }
      take(present)
      event = connection.next()
    }
    isFollowing = false
    wait()
  }

  private func take(_ event: HTTP1Connection.Event) {
    switch event {
    case .head(let head): decide(head)
    case .invitation:
      let line = HTTP1Connection.invitation
      _ = Glibc.send(descriptor, line, line.count, Int32(MSG_NOSIGNAL))
    case .tooLarge: refuse(.tooLarge(largestBody))
    case .complete: complete()
    case .malformed(let problem): answer(HTTP1Answer(problem), closing: true)
    }
  }

  /// Decides by the head what to do with the request.
  private func decide(_ head: RequestHead) {
    var request = head.request
    do { request.client = ClientAddress(try server.client(of: request, from: peer)) } catch {
      return answer(.unreadableClient, closing: true)
    }
    let route = server.route(request)
    self.route = route
    connection.expect(largestBody, from: request.client)
    if case .answered(let answer) = route { connection.refuse(answer) }
    if server.isBusy, route.takesTime { refuse(.busy) }
    guard case .length(let length) = head.framing else { return }
    if length > largestBody {
      refuse(.tooLarge(largestBody))
    } else if !server.memory.hasRoom(for: length) {
      refuse(.bodiesTooLarge)
    }
  }

  /// Keeps no more of a body; an answer that was decided before stays.
  private func refuse(_ answer: HTTP1Answer) {
    if case .call(let call) = route { connection.refuse(call.shaped(answer)) } else { connection.refuse(answer) }
    _ = accountForBody()
  }

  /// The largest body that the request may have, in bytes.
  private var largestBody: Int {
    guard case .call(let call) = route else { return HTTPTrigger.mostBytes }
    return call.function.largestBody
  }

  /// Called when the whole request has come, or no more of it is wanted.
  private func complete() {
    // Calls whose heads came earlier may have taken the last place.
    if server.isBusy, route?.takesTime == true { refuse(.busy) }
    if let refusal = connection.refusal { return answer(refusal) }
    guard let request = connection.take() else { return }
    if case .stream(let head) = route { return stream(head, for: request) }
    noteChange()
    server.answer(request, route) { [self] in finish($0) }
  }

  /// Sends the only answer of the request.
  private func answer(_ answer: HTTP1Answer, closing: Bool = false) {
    server.answers(answer.status)
    connection.answer(answer, date: server.date(), closing: closing || server.isDraining)
    noteChange()
    send()
  }

  /// Sends what the client takes at once.
  private func send() {
    guard phase == .answering || phase == .streaming else { return }
    while connection.unsent > 0 {
      let count = connection.withUnsent { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EAGAIN { return sendLater() }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return close() }
      connection.sent(count)
    }
    phase == .streaming ? watch(.read) : answered()
  }

  private func sendLater() {
    guard phase == .answering else { return watch([.read, .write]) }
    keep()
    wait()
    watch(.write)
  }

  /// Counts the answer that its client does not read at once.
  private func keep() {
    guard unread == 0 else { return }
    let size = connection.answerSize
    server.makeRoom(forAnswer: size)
    unread = size
    server.unread.take(unread)
  }

  private func forgetAnswer() {
    server.unread.give(unread)
    unread = 0
  }

  private func answered() {
    isUsed = true
    forgetAnswer()
    connection.finish(closing: server.isDraining)
    route = nil
    _ = accountForBody()
    noteChange()
    if phase == .leaving { shutdown(descriptor, Int32(SHUT_WR)) }
    watch(.read)
    if !isFollowing { follow(connection.next()) }
  }

  /// Takes memory for the body, or gives it back; `false` if there is none left.
  private func accountForBody() -> Bool {
    let growth = connection.memory - memory
    guard growth <= 0 || server.memory.hasRoom(for: growth) else { return false }
    memory += growth
    growth < 0 ? server.memory.give(-growth) : server.memory.take(growth)
    return true
  }

  /// From now on the connection waits for its client.
  private func wait() {
    guard ![.closed, .working, .streaming].contains(phase), countedPhase != phaseNumber else { return }
    countedPhase = phaseNumber
    server.waits(self)
  }

  private func watch(_ interest: Interest) {
    guard interest != self.interest else { return }
    self.interest = interest
    RunnerLoop.loop.update(descriptor, to: interest)
  }

  /// Takes note of a new phase, with which the time of its client begins.
  private func noteChange() {
    guard phase != noted else { return }
    if noted == .working { server.working -= 1 }
    if phase == .working { server.working += 1 }
    (noted, age) = (phase, 0)
    phaseNumber += 1
    server.changed()
  }
}

// An answer without an end.
extension ClientConnection: AnswerStream {
  private func stream(_ head: HTTP1Answer, for request: HTTP1Request) {
    server.answers(head.status)
    connection.stream(head, date: server.date())
    noteChange()
    watch(.read)
    server.serve(self, for: request)
    send()
  }

  package func send(_ bytes: [UInt8]) {
    guard phase == .streaming else { return }
    guard connection.unsent + bytes.count <= Self.mostUnread else { return close() }
    connection.send(bytes)
    send()
  }

  package func end() {
    guard phase == .streaming else { return }
    noteEnd()
    connection.endStream()
    noteChange()
    send()
  }

  /// Says once that nothing more is wanted.
  private func noteEnd() {
    let onEnd = onEnd
    self.onEnd = nil
    onEnd?()
  }
}
