extension HandOverModel {
  var steps: [(name: StepName, next: Self)] {
    var steps: [(StepName, Self)] = database.steps.map { name, database in
      var next = self
      next.database = database
      return (StepName(name.text), next)
    }
    func step(_ actor: Int, _ name: StaticString, _ change: (inout Self) -> Void) {
      var next = self
      change(&next)
      steps.append((StepName(actor, name), next))
    }
    for runner in engines.indices {
      work(runner, step)
      lose(runner, step)
    }
    for (index, poll) in abandoned.enumerated() {
      if !mustWait(poll) {
        step(poll.runner, "has left a poll, which the server goes on with") {
          let served = $0.served(poll)
          if served.stage == .fenced { $0.abandoned[index] = served } else { $0.abandoned.remove(at: index) }
        }
      }
      step(poll.runner, "has left a poll, which the server rolls back") {
        $0.abandoned.remove(at: index)
        $0.complete(poll)
      }
    }
    return steps
  }

  private func work(_ runner: Int, _ step: (Int, StaticString, (inout Self) -> Void) -> Void) {
    let engine = engines[runner]
    for id in engine.waiting.ids { step(runner, "starts an event") { $0.start(id, runner) } }
    for id in engine.running.ids { step(runner, "has an event end") { $0.end(id, runner) } }
    if let poll = engine.poll {
      switch poll.stage {
      case .committed, .refused: step(runner, "gets its poll's answer") { $0.answer(runner) }
      case .begun, .fenced:
        guard !mustWait(poll) else { return }
        step(runner, "has its poll served") { $0.engines[runner].poll = $0.served(poll) }
      }
      return
    }
    // Its own row is updated, which waits for a poll that it has left.
    if lease.owner != runner || !isLeaseLocked {
      step(runner, "holds its partitions") { $0.hold(runner, isAnswered: true) }
    }
    if mayRelease(runner) { step(runner, "gives its partition back") { $0.release(runner) } }
    if !engine.mustHold { step(runner, "begins a poll") { $0.begin(runner) } }
    if scope.releases > 0, engine.epoch != nil, !engine.isLeaving {
      step(runner, "has more than its share") { $0.leave(runner) }
    }
  }

  private func lose(_ runner: Int, _ step: (Int, StaticString, (inout Self) -> Void) -> Void) {
    let engine = engines[runner]
    if engine.isTrusted, scope.expiries > 0 {
      step(runner, "has not been heard of for long") { $0.engines[runner].isTrusted = false }
    }
    if scope.expiries > 0, lease.owner == runner, !lease.isExpired, !engine.isTrusted {
      step(runner, "has its lease run out") {
        $0.scope.expiries -= 1
        $0.lease.isExpired = true
      }
    }
    if scope.listenerLosses > 0, engine.isListening {
      step(runner, "loses its listening session") {
        $0.scope.listenerLosses -= 1
        $0.engines[runner].isListening = false
      }
    }
    if !engine.isListening { step(runner, "listens again") { $0.engines[runner].isListening = true } }
    guard scope.sessionLosses > 0 else { return }
    step(runner, "loses its session") { $0.loseSession(runner) }
    if engine.poll == nil, lease.owner != runner || !isLeaseLocked {
      step(runner, "holds its partitions and gets no answer") {
        $0.scope.sessionLosses -= 1
        $0.hold(runner, isAnswered: false)
      }
    }
  }
}
