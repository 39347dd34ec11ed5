import FoundationEssentials
import FunctionKit
import Notifications
import PushLive
import TestSupport
import Testing

/// The sender of broadcasts with the emulator.
@Suite(.heavy)
struct ChannelSenderTests {
  private static let payload =
    #"{"aps":{"content-state":{"n":1},"event":"update","timestamp":1}}"#

  @Test func aChannelIsCreatedUsedAndDeleted() async throws {
    try await withSender { emulator, channels, owner in
      let channel = try await channels.create(for: owner)
      let listed = try await emulator.json("/channels")["channels"]?.elements?.map { $0["channel"]?.stringValue }
      let broadcast = APNsChannels.Broadcast(Self.payload, priority: 10, expiresAt: .now + 60)
      try await channels.send(broadcast, on: channel, of: owner)
      let sent = try await emulator.pushes("type=liveactivity").map { $0["channel"]?.stringValue }
      try await channels.delete(channel, of: owner)
      try await channels.delete(channel, of: owner)

      #expect(listed == [channel] && sent == [channel])
      #expect(try await emulator.json("/channels")["channels"]?.elements?.count == 0)
      await #expect(throws: APNsChannels.Failure.refused(PushAnswer(status: 400, reason: "ChannelNotRegistered"))) {
        try await channels.send(broadcast, on: channel, of: owner)
      }
    }
  }

  @Test func aLostAnswerIsUnknownAndABusyServerHasDoneNothing() async throws {
    try await withSender { emulator, channels, owner in
      for fault in [
        #"{"answer":"drop","service":"channels","times":1}"#,
        #"{"answer":{"status":503,"reason":"ServiceUnavailable"},"service":"channels","times":1}"#,
      ] {
        try await emulator.script("/faults", fault)
      }

      var failures: [APNsChannels.Failure] = []
      for _ in 0..<2 {
        do {
          _ = try await channels.create(for: owner)
        } catch let failure as APNsChannels.Failure {
          failures.append(failure)
        }
      }

      let first = try #require(failures.first)
      if case .unknown = first {} else { Issue.record("\(first)") }
      #expect(failures.dropFirst() == [.undone("503 ServiceUnavailable")])
      #expect(try await emulator.json("/channels")["channels"]?.elements?.count == 1)
    }
  }

  @Test func withADatabaseThatIsNotLocalAnEmulatorCountsForNothing() async throws {
    try await withSender(countsEmulated: false) { _, channels, owner in
      await #expect { try await channels.create(for: owner) } throws: { error in
        if case .undone = error as? APNsChannels.Failure { true } else { false }
      }
    }
  }

  private func withSender(
    countsEmulated: Bool = true, _ body: (RunningEmulator, APNsChannels, APNsChannels.Owner) async throws -> Void
  ) async throws {
    let emulator = try await RunningEmulator.start()
    let variables = emulator.environment.members.compactMap { member in
      member.value.stringValue.map { (member.name, $0) }
    }
    let configuration = try APNsConfiguration(Environment(Dictionary(uniqueKeysWithValues: variables)))
    let channels = APNsChannels(
      configuration, tokens: .ofThisProcess(), countsEmulated: countsEmulated, log: Log(write: { _ in }))
    do {
      try await body(emulator, channels, APNsChannels.Owner(topic: configuration.bundleID, .sandbox))
    } catch {
      await emulator.stop()
      throw error
    }
    await emulator.stop()
  }
}
