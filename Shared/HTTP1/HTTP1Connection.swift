/// The server's side of one HTTP/1.1 connection: bytes in and requests out, answers in and bytes out.
///
/// It has no descriptor and no clock. Its owner gives it what the client has sent, decides about each request by its
/// head, and sends what is unsent. A request is answered before the next one is read: bytes that come early wait here.
package struct HTTP1Connection: Sendable {
  /// The event for which the connection waits.
  package enum Phase: Sendable {
    /// The client's next request; nothing of it has come yet.
    case idle
    /// The rest of the client's request.
    case receiving
    /// The answer to a request that was taken.
    case working
    /// The client, which must read its answer.
    case answering
    /// The client or the owner: either may end the answer.
    case streaming
    /// The client, which has its last answer and must close.
    case leaving
    case closed
  }

  /// The events to which bytes of the client lead.
  package enum Event: Sendable {
    /// The head of a request: ``expect(_:from:)`` or ``refuse(_:)`` says what becomes of its body.
    case head(RequestHead)
    /// The client waits to be asked for the body: ``invitation`` is to be sent.
    case invitation
    /// The body is larger than it may be, and is dropped: ``refuse(_:)`` has the words.
    case tooLarge
    /// The request is to be answered: with its ``refusal`` if there is one, else with what ``take()`` leads to.
    case complete
    /// It is no HTTP/1.1, or something that a proxy could read in another way: the connection ends with the answer.
    case malformed(MalformedRequest)
  }

  /// The part of a request that comes next.
  private enum Stage {
    case head
    /// Its body, once its owner has decided by the head.
    case decision
    case body
    /// Nothing: its answer is due.
    case end
  }

  /// The answer that asks a client for its body.
  package static let invitation = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  package private(set) var phase = Phase.idle
  /// The answer that was decided before the request had come whole.
  package private(set) var refusal: HTTP1Answer?
  /// Whether the refusal has no words yet.
  private var isUnworded = false
  private let endless: Int

  private var stage = Stage.head
  private var headReader = HeadReader()
  private var head: RequestHead?
  private var body = RequestBody()
  private var mostBody = Int.max
  /// The memory of the body that was taken.
  private var taken = 0
  /// The bytes behind the last event, from this place on.
  private var (pending, consumed): ([UInt8], Int) = ([], 0)

  private var (output, sentCount): ([UInt8], Int) = ([], 0)
  private var closes = false

  /// - Parameter endless: the rest of a refused body that would be larger than this, in bytes, is not even read.
  package init(endless: Int = .max) { self.endless = endless }

  /// The memory of the body, in bytes, until its request is answered.
  package var memory: Int { body.memory + taken }

  /// How many bytes are worth reading at once: those of the next request are not read together with a body.
  package var wanted: Int { head == nil ? HeadReader.largest : max(body.expected ?? HeadReader.largest, 1) }

  /// Takes bytes that have come; ``next()`` has what else they lead to.
  package mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Event? {
    switch phase {
    case .idle, .receiving:
      guard pending.isEmpty, stage != .end else { break }
      let (event, used) = follow(bytes)
      if used < bytes.count { pending += bytes[used...] }
      return event
    case .working, .answering: break
    case .streaming, .leaving, .closed: return nil
    }
    pending += bytes
    return next()
  }

  /// The event to which bytes lead that have come already; `nil` if others have to come first, or an answer.
  package mutating func next() -> Event? {
    guard phase == .idle || phase == .receiving, stage != .end else { return nil }
    let bytes = pending
    let (event, used) = bytes.withUnsafeBytes { follow(UnsafeRawBufferPointer(rebasing: $0[consumed...])) }
    consumed += used
    if consumed == pending.count { (pending, consumed) = ([], 0) }
    return event
  }

  /// Lets the body come.
  ///
  /// - Parameters:
  ///   - most: its largest size, in bytes.
  ///   - client: who sends it.
  package mutating func expect(_ most: Int, from client: ClientAddress = ClientAddress()) {
    mostBody = most
    head?.request.client = client
  }

  /// Decides the answer before the request has come whole, and keeps no more of its body; the first such answer stays.
  package mutating func refuse(_ answer: HTTP1Answer) {
    if refusal == nil || isUnworded { (refusal, isUnworded) = (answer, false) }
    body.discard()
  }

  /// Hands the whole request over, whose answer is awaited from now on; `nil` if there is none, or it was refused.
  package mutating func take() -> HTTP1Request? {
    guard stage == .end, refusal == nil, phase == .receiving, var request = head?.request else { return nil }
    taken = body.memory
    request.body = body.release()
    phase = .working
    return request
  }

  /// Gives the only answer of the request, or of what is none.
  ///
  /// - Parameter closing: whether it is the client's last one in any case.
  package mutating func answer(_ answer: HTTP1Answer, date: String, closing: Bool = false) {
    closes = closes || closing || head?.keepsOpen != true
    let sequel: HTTP1Answer.Sequel = closes ? .close : head?.isOld == true ? .keepAlive : .usual
    output = answer.bytes(date: date, sequel, isHead: head?.request.method == "HEAD")
    (sentCount, stage, phase) = (0, .end, .answering)
  }

  /// Begins an answer whose end is open.
  package mutating func stream(_ head: HTTP1Answer, date: String) {
    (output, sentCount, closes) = (head.openHead(date: date), 0, true)
    (stage, phase) = (.end, .streaming)
  }

  /// Adds bytes to an answer whose end is open.
  package mutating func send(_ bytes: [UInt8]) {
    if phase == .streaming { output += bytes }
  }

  /// Ends an answer whose end is open, after what it has.
  package mutating func endStream() {
    if phase == .streaming { phase = .answering }
  }

  /// How many bytes are to be sent.
  package var unsent: Int { output.count - sentCount }

  /// How many bytes the answer has, sent or not.
  package var answerSize: Int { output.count }

  /// Calls a body with the bytes that are to be sent.
  package func withUnsent<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    output.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[sentCount...])) }
  }

  /// Takes note of how many of these bytes were sent.
  package mutating func sent(_ count: Int) {
    sentCount += count
    if phase == .streaming, unsent == 0 { (output, sentCount) = ([], 0) }
  }

  /// Ends a request whose answer was sent; ``next()`` may have another one.
  ///
  /// - Parameter closing: whether the client gets no other answer.
  package mutating func finish(closing: Bool = false) {
    guard phase == .answering, unsent == 0 else { return }
    forget()
    if closes || closing {
      (phase, pending, consumed) = (.leaving, [], 0)
    } else {
      (phase, stage) = (.idle, .head)
    }
  }

  /// Forgets everything: the client has gone.
  package mutating func close() {
    forget()
    (phase, pending, consumed) = (.closed, [], 0)
  }

  private mutating func forget() {
    (output, sentCount, head, body, taken) = ([], 0, nil, RequestBody(), 0)
    (refusal, isUnworded, mostBody) = (nil, false, .max)
  }

  /// Reads up to the next event.
  ///
  /// - Returns: the event, and how many bytes were read.
  private mutating func follow(_ bytes: UnsafeRawBufferPointer) -> (event: Event?, used: Int) {
    var used = 0
    do {
      repeat {
        let (event, count) = try step(UnsafeRawBufferPointer(rebasing: bytes[used...]))
        used += count
        if event != nil { return (event, used) }
      } while used < bytes.count
      return (nil, used)
    } catch {
      (phase, stage, closes) = (.receiving, .end, true)
      return (.malformed(error), bytes.count)
    }
  }

  private mutating func step(
    _ bytes: UnsafeRawBufferPointer
  ) throws(MalformedRequest) -> (event: Event?, used: Int) {
    switch stage {
    case .head:
      let (found, used) = try headReader.take(bytes)
      if found != nil || headReader.hasBegun { phase = .receiving }
      guard let found else { return (nil, used) }
      (head, body, stage) = (found, RequestBody(found.framing), .decision)
      return (.head(found), used)
    case .decision:
      if refusal == nil, (body.expected ?? 0) > mostBody { return (tooLarge(), 0) }
      let awaits = head?.awaitsInvitation == true
      if let event = end(closing: awaits) { return (event, 0) }
      stage = .body
      return (awaits && bytes.isEmpty ? .invitation : nil, 0)
    case .body:
      if let event = end() { return (event, 0) }
      let used = try body.take(bytes)
      return (refusal == nil && body.received > mostBody ? tooLarge() : end(), used)
    case .end: return (nil, bytes.count)
    }
  }

  private mutating func tooLarge() -> Event {
    refuse(HTTP1Answer(status: 413))
    isUnworded = true
    return .tooLarge
  }

  /// The end of the request; `nil` if more of it is to come.
  ///
  /// - Parameter closing: whether the rest of a refused body is not read.
  private mutating func end(closing: Bool = false) -> Event? {
    guard !body.isComplete else {
      stage = .end
      return .complete
    }
    guard refusal != nil, closing || isEndless else { return nil }
    (stage, closes) = (.end, true)
    return .complete
  }

  /// Whether the body is so large that it is not even read.
  private var isEndless: Bool { body.received + (body.expected.map { min($0, .max / 2) } ?? 0) > endless }
}
