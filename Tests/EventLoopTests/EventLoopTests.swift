import EventLoop
import Synchronization
import Testing

struct EventLoopTests {
  @Test func jobsOfABoundActorRunOnTheLoop() async {
    await withLoop { actor in
      let isOnLoop = await actor.wait { loop, done in done(loop.isCurrent) }

      #expect(isOnLoop)
      #expect(!actor.loop.isCurrent)
    }
  }

  @Test func assumeIsolatedWorksInsideACallbackOfTheLoop() async {
    await withLoop { actor in
      await withCheckedContinuation { continuation in
        actor.loop.execute {
          actor.incrementFromLoop()
          continuation.resume()
        }
      }

      #expect(await actor.count == 1)
    }
  }

  @Test func noJobIsLostWhenManyThreadsEnqueueAtOnce() async {
    await withLoop { actor in
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<8 {
          group.addTask { for _ in 0..<2_000 { await actor.increment() } }
        }
      }

      #expect(await actor.count == 16_000)
    }
  }

  @Test func aLoopThatStaysAwakeMissesNothing() async {
    let actor = LoopActor(loop: EventLoop(name: "test", lingering: .milliseconds(2)))
    defer { actor.loop.stop() }
    await actor.wait { loop, done in
      loop.beginExpecting()
      done(())
    }

    for _ in 0..<1_000 { await actor.increment() }
    let firesInTime = await actor.wait { loop, done in
      let start = ContinuousClock.now
      loop.schedule(after: .milliseconds(20)) { done(.now - start >= .milliseconds(20)) }
    }

    #expect(await actor.count == 1_000)
    #expect(firesInTime)
  }

  @Test func callsRunInTheOrderInWhichOneThreadMadeThem() async {
    await withLoop { actor in
      let recorder = Recorder<Int>()
      await withCheckedContinuation { continuation in
        for number in 0..<1_000 { actor.loop.execute { recorder.add(number) } }
        actor.loop.execute { continuation.resume() }
      }

      #expect(recorder.values == Array(0..<1_000))
    }
  }

  @Test func aTimerFiresNotBeforeItsTime() async {
    await withLoop { actor in
      let start = ContinuousClock.now

      await actor.wait { loop, done in loop.schedule(after: .milliseconds(20)) { done(()) } }

      #expect(ContinuousClock.now - start >= .milliseconds(20))
    }
  }

  @Test func timersFireInOrderWhateverTheOrderTheyWereSetIn() async {
    await withLoop { actor in
      let (fired, due) = (Recorder<Int>(), Recorder<ClosedRange<ContinuousClock.Instant>>())
      await actor.wait { loop, done in
        for (number, delay) in [12, 4, 8, 1].map({ Duration.milliseconds($0) }).enumerated() {
          let before = ContinuousClock.now
          loop.schedule(after: delay) {
            fired.add(number)
            if fired.values.count == 4 { done(()) }
          }
          due.add(before + delay...ContinuousClock.now + delay)
        }
      }

      // On a busy machine so much time may pass between two of them that the shorter one is due later.
      let order = fired.values.map { due.values[$0] }
      #expect(zip(order, order.dropFirst()).allSatisfy { $0.lowerBound <= $1.upperBound })
    }
  }

  @Test func aCancelledTimerDoesNotFire() async {
    await withLoop { actor in
      let recorder = Recorder<String>()
      await actor.wait { loop, done in
        let timer = loop.schedule(after: .milliseconds(1)) { recorder.add("cancelled") }
        loop.schedule(after: .milliseconds(5)) { done(()) }
        loop.cancel(timer)
      }

      #expect(recorder.values == [])
    }
  }

  @Test func aNegativeDelayIsDueAtOnceAndAnEndlessOneIsAccepted() async {
    await withLoop { actor in
      await actor.wait { loop, done in
        loop.schedule(after: .seconds(Int64.max)) {}
        loop.schedule(after: .seconds(-5)) { done(()) }
      }
    }
  }

  @Test func whatIsDeferredToTheEndOfTheTurnRunsAfterItsJobs() async {
    await withLoop { actor in
      let recorder = Recorder<String>()
      await withCheckedContinuation { continuation in
        actor.loop.execute { [loop = actor.loop] in
          loop.atEndOfTurn {
            recorder.add("end")
            continuation.resume()
          }
          recorder.add("call")
        }
      }

      #expect(recorder.values == ["call", "end"])
    }
  }

  @Test func stoppingRunsWhatWasEnqueuedBeforeAndReleasesTheHandlers() async {
    let released = Recorder<String>()
    let ran = Recorder<Int>()
    let loop = EventLoop(name: "test")
    let actor = LoopActor(loop: loop)
    await actor.wait { loop, done in
      let witness = Witness { released.add("timer") }
      loop.schedule(after: .seconds(3_600)) { _ = witness }
      done(())
    }

    await withCheckedContinuation { continuation in
      loop.execute {
        for number in 0..<10 { loop.execute { ran.add(number) } }
        loop.stop()
        loop.execute { continuation.resume() }
      }
    }

    #expect(ran.values == Array(0..<10))
    await released.waitForFirst()
  }
}

private final class Witness: Sendable {
  let onRelease: @Sendable () -> Void

  init(onRelease: @escaping @Sendable () -> Void) {
    self.onRelease = onRelease
  }

  deinit {
    onRelease()
  }
}
