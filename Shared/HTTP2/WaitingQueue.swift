/// Requests that wait for a free stream, first come, first served.
struct WaitingQueue {
  private var exchanges: [Exchange] = []
  private var head = 0
  private var doneCount = 0

  mutating func append(_ exchange: Exchange) {
    exchanges.append(exchange)
  }

  /// The next one that still waits.
  mutating func popFirst() -> Exchange? {
    while head < exchanges.count {
      let exchange = exchanges[head]
      head += 1
      if !exchange.isDone {
        dropPassed()
        return exchange
      }
    }
    self = WaitingQueue()
    return nil
  }

  /// Notes that the time of one request is over.
  ///
  /// It is dropped later, together with many others.
  mutating func noteDone() {
    doneCount += 1
    guard doneCount > 64, doneCount > (exchanges.count - head) / 2 else { return }
    exchanges = exchanges[head...].filter { !$0.isDone }
    head = 0
    doneCount = 0
  }

  private mutating func dropPassed() {
    guard head > 1_024, head > exchanges.count / 2 else { return }
    exchanges.removeFirst(head)
    head = 0
  }
}
