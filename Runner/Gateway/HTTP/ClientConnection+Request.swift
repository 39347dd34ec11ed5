import FunctionKit
import HTTP1
import Manifest

// Makes a request of bytes, and gets its answer.
extension ClientConnection {
  /// Takes a head or a part of a body.
  ///
  /// - Returns: how many bytes it took.
  func consume(_ bytes: UnsafeRawBufferPointer) -> Int {
    do {
      return head == nil ? try consumeHead(bytes) : try consumeBody(bytes)
    } catch {
      answer(HTTP1Answer(error), closing: true)
      return bytes.count
    }
  }

  private func consumeHead(_ bytes: UnsafeRawBufferPointer) throws(MalformedRequest) -> Int {
    let (found, used) = try headReader.take(bytes)
    guard let head = found else {
      if headReader.hasBegun { begin() }
      return used
    }
    begin()
    self.head = head
    do { self.head?.request.client = ClientAddress(try server.client(of: head.request, from: peer)) } catch {
      answer(.unreadableClient, closing: true)
      return bytes.count
    }
    body = RequestBody(head.framing)
    decide()
    if body.isComplete {
      complete()
    } else if case .answered(let answer) = route, head.awaitsInvitation || isEndless {
      self.answer(answer, closing: true)
      return bytes.count
    } else if head.awaitsInvitation, used == bytes.count {
      invite()
    }
    return used
  }

  private func consumeBody(_ bytes: UnsafeRawBufferPointer) throws(MalformedRequest) -> Int {
    let used = try body.take(bytes)
    if body.received > largestBody { refuse(.tooLarge(largestBody)) }
    if !accountForBody() { refuse(.bodiesTooLarge) }
    if body.isComplete {
      complete()
    } else if isEndless, case .answered(let answer) = route {
      self.answer(answer, closing: true)
      return bytes.count
    }
    return used
  }

  /// Decides by the head what to do with the request.
  private func decide() {
    guard let head else { return }
    let route = server.route(head.request)
    self.route = route
    if case .answered = route { body.discard() }
    if server.isBusy, route.takesTime { refuse(.busy) }
    guard case .length(let length) = head.framing else { return }
    if length > largestBody {
      refuse(.tooLarge(largestBody))
    } else if !server.memory.hasRoom(for: length) {
      refuse(.bodiesTooLarge)
    }
  }

  /// Keeps no more of a body; an answer that the head has led to stays.
  private func refuse(_ answer: HTTP1Answer) {
    switch route {
    case .answered: break
    case .call(let call): route = .answered(call.shaped(answer))
    case .state, .metrics, .page, .stream, nil: route = .answered(answer)
    }
    body.discard()
    _ = accountForBody()
  }

  /// The largest body that the request may have, in bytes.
  private var largestBody: Int {
    guard case .call(let call) = route else { return HTTPTrigger.mostBytes }
    return call.function.largestBody
  }

  /// Whether the body is so large that it is not even read.
  private var isEndless: Bool {
    body.received + (body.expected.map { min($0, .max / 2) } ?? 0) > 16 * HTTPTrigger.mostBytes
  }

  /// Called when the whole request has come.
  private func complete() {
    // Calls whose heads came earlier may have taken the last place.
    if server.isBusy, route?.takesTime == true { refuse(.busy) }
    if case .answered(let answer) = route { return self.answer(answer) }
    guard var request = head?.request else { return }
    if case .stream(let head) = route { return stream(head, for: request) }
    request.body = body.release()
    work()
    server.answer(request, route) { [self] in finish($0) }
  }
}
