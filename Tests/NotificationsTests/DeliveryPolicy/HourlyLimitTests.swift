import FoundationEssentials
import Notifications
import Testing

struct HourlyLimitTests {
  /// Ages and answers in seconds; `nil` is room now.
  @Test(
    arguments: [
      (5, [], nil), (5, [0, 60, 120, 180], nil), (5, [0, 60, 120, 180, 3_599], 1), (5, [0, 60, 120, 180, 3_600], nil),
      (5, [3_000, 0, 2_400, 1_200, 600, 1_800], 1_200), (5, [0, 0, 0, 0, 0], 3_600), (1, [1_800], 1_800),
      (1, [1_800, 600], 3_000), (1, [7_200, 3_601], nil), (1, [-30], 3_630), (0, [], 3_600), (-3, [60], 3_600),
    ] as [(Int, [Double], Double?)])
  func thereIsRoomWhenEnoughPushesAreAnHourOld(limit: Int, ages: [Double], wait: Double?) {
    let recent = ages.map { Sample.now.addingTimeInterval(-$0) }

    #expect(
      HourlyLimit.nextRoom(limit: limit, recent: recent, at: Sample.now) == wait.map(Sample.now.addingTimeInterval))
  }

  @Test func whoComesBackWhenToldFindsRoomAndNotSooner() throws {
    let recent = (1...40).map { Sample.now.addingTimeInterval(-Double($0) * 71.123_457) }

    for limit in 1...40 {
      let room = try #require(HourlyLimit.nextRoom(limit: limit, recent: recent, at: Sample.now))
      #expect(HourlyLimit.nextRoom(limit: limit, recent: recent, at: room) == nil)
      #expect(HourlyLimit.nextRoom(limit: limit, recent: recent, at: room.addingTimeInterval(-0.001)) == room)
    }
  }

  @Test func aPushWaitsSixHoursForRoom() {
    #expect(HourlyLimit.longestWait == 6 * HourlyLimit.window)
  }
}
