import EventLoop
import Glibc
import Testing

struct WatchingTests {
  @Test(arguments: [Interest.read, [.read, .hangUp]])
  func whatIsReadableAndTheEndOfTheStreamAreReported(interest: Interest) async {
    await withLoop { actor in
      let pair = SocketPair()
      if interest.contains(.hangUp) { pair.endSending() } else { pair.ring() }

      let ready: Interest = await actor.wait { loop, done in
        loop.watch(pair.near, for: interest) { [near = pair.near] ready in
          loop.unwatch(near)
          done(ready)
        }
      }

      #expect(ready == interest)
    }
  }

  @Test func aHandlerMayUnwatchAnotherDescriptorOfTheSameTurn() async {
    await withLoop { actor in
      let pairs = [SocketPairBox(), SocketPairBox()]
      let calls = Recorder<Int32>()
      for pair in pairs { pair.sockets.ring() }

      await actor.wait { (loop: EventLoop, done: @escaping (()) -> Void) in
        for pair in pairs {
          loop.watch(pair.sockets.near, for: .read) { _ in
            calls.add(pair.sockets.near)
            for other in pairs { loop.unwatch(other.sockets.near) }
            loop.atEndOfTurn { done(()) }
          }
        }
      }

      #expect(calls.values.count == 1)
    }
  }

  @Test func aNewWatchOnTheSameDescriptorDoesNotGetAnOldEvent() async {
    await withLoop { actor in
      let pairs = [SocketPairBox(), SocketPairBox()]
      let calls = Recorder<String>()
      for pair in pairs { pair.sockets.ring() }

      await actor.wait { (loop: EventLoop, done: @escaping (()) -> Void) in
        for (index, pair) in pairs.enumerated() {
          let other = pairs[1 - index]
          loop.watch(pair.sockets.near, for: .read) { _ in
            calls.add("old")
            for pair in pairs { loop.unwatch(pair.sockets.near) }
            loop.watch(other.sockets.near, for: .write) { ready in
              calls.add(ready == .write ? "new, writable" : "new, stale")
              loop.unwatch(other.sockets.near)
              done(())
            }
          }
        }
      }

      #expect(calls.values == ["old", "new, writable"])
    }
  }

  @Test func anEmptyInterestReportsNothingAndCanBeRaisedAgain() async {
    await withLoop { actor in
      let pair = SocketPair()
      let calls = Recorder<Interest>()
      pair.ring()
      pair.endSending()

      await actor.wait { (loop: EventLoop, done: @escaping (()) -> Void) in
        loop.watch(pair.near, for: []) { [near = pair.near] ready in
          calls.add(ready)
          loop.unwatch(near)
          done(())
        }
        loop.schedule(after: .milliseconds(5)) { [near = pair.near] in
          calls.add([])
          loop.update(near, to: .read)
        }
      }

      #expect(calls.values == [[], .read])
    }
  }

  @Test func aFullSocketIsWritableOnlyAfterThePeerHasRead() async {
    await withLoop { actor in
      let pair = SocketPair()
      let chunk = [UInt8](repeating: 7, count: 65_536)
      while write(pair.near, chunk, chunk.count) > 0 {}
      let calls = Recorder<String>()

      await actor.wait { (loop: EventLoop, done: @escaping (()) -> Void) in
        loop.watch(pair.near, for: .write) { [near = pair.near] _ in
          calls.add("writable")
          loop.unwatch(near)
          done(())
        }
        loop.schedule(after: .milliseconds(5)) { [far = pair.far] in
          calls.add("drained")
          var buffer = [UInt8](repeating: 0, count: 65_536)
          while read(far, &buffer, buffer.count) > 0 {}
        }
      }

      #expect(calls.values == ["drained", "writable"])
    }
  }

  @Test func unwatchingADescriptorThatWasClosedIsHarmless() async {
    await withLoop { actor in
      let descriptor = dup(0)
      let pair = SocketPair()
      let duplicate = dup(pair.near)
      close(descriptor)

      await actor.wait { (loop: EventLoop, done: @escaping (()) -> Void) in
        loop.watch(duplicate, for: .read) { _ in }
        close(duplicate)
        loop.unwatch(duplicate)
        loop.unwatch(descriptor)
        done(())
      }
    }
  }
}
