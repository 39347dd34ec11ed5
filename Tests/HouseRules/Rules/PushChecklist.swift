/// The things that a sender of pushes must get right, and the tests that show them: for APNs, FCM and the policy.
enum PushChecklist {
  struct Point: Sendable {
    let rule: String
    /// As `Suite/test`.
    let tests: [String]
  }

  static let points: [Point] = apns + fcm + policy

  private static let apns = [
    Point(
      rule: "Hosts are fixed; TLS 1.2 or newer; ALPN h2 or nothing.",
      tests: [
        "APNsConfigurationTests/takesAppleSandboxOrProduction", "EndpointURLTests/takesNoOthersForApples",
        "ConnectingTests/aServerThatSpeaksOnlyAnOlderTLSIsRefused", "ConnectingTests/aServerWithoutALPNIsRefused",
        "ConnectingTests/aCertificateForAnotherHostIsRefused",
      ]),
    Point(
      rule: "apns-push-type always, of eleven; background with priority 5; priorities 1, 5 and 10.",
      tests: [
        "PushRequestTests/carriesAPNsHeaderFields", "PushRequestTests/theTopicFollowsThePushType",
        "PushRequestTests/aBackgroundPushHasPriorityFiveAndNoBadge", "APNSTests/everyTypeHasItsTopic",
      ]),
    Point(
      rule: "apns-id in lower case and logged; the same apns-collapse-id, at most 64 bytes, on every attempt.",
      tests: [
        "UUIDTextTests/idsAreReadInAnyCaseAndWrittenInLowerCase",
        "PushRequestTests/shortensALongCollapseIDToTheSameTextEachTime",
        "AnswerTableTests/everyAnswerHasItsConsequence",
      ]),
    Point(
      rule: "apns-expiration in absolute seconds; 0 is sent.",
      tests: ["PushRequestTests/theExpirationIsInSecondsAndZeroIsSent"]),
    Point(
      rule: "At most 4,096 bytes of UTF-8 JSON; the body is shortened between characters.",
      tests: [
        "PayloadSizeTests/aBodyIsShortenedBetweenCharactersAndFillsTheRoom", "QueuedPushTests/hasNoBodyOverTheLimit",
        "PushRequestTests/isNoneForAPayloadOverTheLimit",
      ]),
    Point(
      rule: "A badge of 0 is not an absent one; nothing of the app inside aps.",
      tests: [
        "QuietPushTests/aBadgeOfZeroIsSentAndCountsNowhere", "PushPayloadTests/putsTheNotificationsIDBesideAps",
        "PushPayloadTests/anAppKeyCannotReplaceAps",
      ]),
    Point(
      rule:
        "ES256 with 64 bytes of signature, base64url without padding, iat a number; one token for a team and environment.",
      tests: [
        "SigningKeyTests/everySignatureHasSixtyFourBytesAndVerifies", "JWTTests/aTokenCarriesWhatAPNsAsksFor",
        "ProviderTokenTests/isUsedForFiftyMinutes", "ProviderTokenTests/isNotFollowedWithinTwentyMinutes",
        "SharedProviderTokenTests/manySendersAtOnceMakeOneToken",
        "SharedProviderTokenTests/sendersThatFindItTooOldReplaceItOnce",
      ]),
    Point(
      rule: "ExpiredProviderToken: a new one only after 20 minutes, a new connection, once more.",
      tests: [
        "PushDeliveryFaultTests/anExpiredTokenIsRenewedOnceOnANewConnection",
        "PushDeliveryFaultTests/aTokenThatIsTooYoungToBeRenewedHoldsTheTeam",
      ]),
    Point(
      rule: "TooManyProviderTokenUpdates: the team waits and makes none.",
      tests: ["BreakerDeliveryTests/aTeamWithTooManyTokensWaitsAndOtherTeamsGoOn"]),
    Point(
      rule:
        "410 ends a device registered before its timestamp; BadDeviceToken is another thing; auth errors touch none.",
      tests: [
        "DeliverySettlingTests/aDeviceGoneSinceItsRegistrationIsDeactivated",
        "DeliverySettlingTests/aDeviceRegisteredAnewSinceItWasGoneStaysActive",
        "DeliverySettlingTests/aSuspectDeviceIsTriedInTheOtherEnvironmentAndCorrected",
        "BreakerDeliveryTests/aRefusedKeyHoldsEverythingThatNeedsItAndSaysSoOnce",
        "BreakerDeliveryTests/aJumpOfBadTokensTouchesNoDevice",
      ]),
    Point(
      rule:
        "5xx waits 15 minutes, 429 holds the device, what must not be resent is not, the unknown goes by its status.",
      tests: [
        "AnswerTableTests/theTableHasEveryReason", "DeliverySettlementTests/aServerErrorWaitsAQuarterOfAnHour",
        "ThrottledDeviceTests/whatIsMadeWhileTheDeviceIsHeldWaitsToo",
        "ThrottledDeviceTests/thePauseDoublesWithEachTimeInARowAndASuccessResetsIt",
        "PushVerdictTests/judgesAnUnknownReasonByItsStatus",
      ]),
    Point(
      rule: "The first push of a connection goes alone.",
      tests: [
        "ConnectionPoolTests/everyNewConnectionIsTriedByOnePushAlone",
        "ConnectionPoolTests/aColdBurstOpensOneConnectionAndNoStreamIsRefused",
      ]),
    Point(
      rule: "Connections: few, kept for hours, PING after an hour idle, fresh addresses, a limit on every wait.",
      tests: [
        "ConnectionPoolTests/anIdleConnectionIsKeptOpenByPings",
        "ConnectingTests/theNextAddressIsTriedAfterOneThatFails",
        "ConnectionPoolTests/whatWouldWaitTooLongGetsMoreConnectionsUpToTheLimit",
        "EndingProcessTests/aSilentServerHoldsItNoLongerThanItsTime",
      ]),
    Point(
      rule: "Without a status the outcome is unknown, unless APNs is known not to have processed the stream.",
      tests: [
        "PushVerdictTests/tellsTheKindsOfSilenceApart",
        "ClosingTests/fiftyStreamsAtAGoAwayAreAnsweredOrKnownNotToHaveBeenProcessed",
        "OtherServerTests/aServerThatIsKilledWithFiftyStreamsOpenFailsThemAllAtOnce",
      ]),
    Point(
      rule: "After a freeze a connection is asked before it is used.",
      tests: [
        "LivenessTests/aLongFreezeIsNoticedAndTheConnectionAsked",
        "ConnectionPoolTests/aConnectionThatNoLongerAnswersIsReplacedBeforeAPushIsLost",
        "EndingProcessTests/stoppedForAWhileItGoesOnAndLosesNothing",
      ]),
    Point(
      rule: "Separate connections for each team and environment.",
      tests: ["ConnectionPoolTests/keysEnvironmentsAndTopicsHaveConnectionsOfTheirOwn"]),
    Point(
      rule:
        "A device has environment, topic, registration and last acceptance; a token that moves leaves its old owner.",
      tests: [
        "QueuedPushTests/onlyAnAcceptanceSinceRegistrationInAKnownEnvironmentProvesADevice",
        "DeliveryClaimingTests/aDeviceThatIsNoLongerThePersonsOrTheAppsGetsNothing",
      ]),
  ]

  private static let fcm = [
    Point(
      rule: "RS256, an hour at most, scope firebase.messaging; cached; refreshed once on 401.",
      tests: [
        "FCMSenderTests/theAssertionIsWhatGoogleAsksFor", "FCMSenderTests/severalBatchesAtOnceAskForOneAccessToken",
        "FCMSenderTests/anAccessTokenIsReplacedFiveMinutesBeforeItEnds",
        "FCMSenderTests/aRefusedAccessTokenIsRefreshedOnce",
      ]),
    Point(
      rule: "One target, data of strings, 4,096 bytes, ttl within 28 days, at most four collapse keys.",
      tests: [
        "FCMMessageTests/hasOneTargetAndNothingThatIsNotSet", "FCMMessageTests/everyValueOfTheAppIsAString",
        "FCMMessageTests/aLongBodyIsShortenedBetweenTwoCharacters",
        "FCMMessageTests/livesAsLongAsThePushWithinFCMsLimits",
        "FCMMessageTests/aStateCollapsesBySubjectAndMakesRoomAfterAnHour",
      ]),
    Point(
      rule: "Deactivated by UNREGISTERED, an INVALID_ARGUMENT of the token, a SENDER_ID_MISMATCH once one was reached.",
      tests: [
        "FCMDeliveryTests/tellsTheAnswersApart",
        "FCMDeliveryTests/anotherProjectsAccountEndsNoDeviceAndAStrangersTokenOnlyItself",
        "FCMVerdictTests/anInvalidArgumentEndsADeviceOnlyWithFcmErrorAndWordsAboutTheToken",
      ]),
    Point(
      rule: "Retry-After, 60 s for 429, never within 10 s; a ramp of a minute; the quota of a project.",
      tests: [
        "FCMVerdictTests/honoursRetryAfterButIsNeverBackWithinTenSeconds", "FCMDeliveryTests/waitsAsFCMAsks",
        "FCMPaceTests/takesAMinuteFromNothingToThePeak", "FCMPaceTests/noMinuteSeesMoreThanTheQuota",
        "FCMSenderTests/outOfQuotaSlowsTheWholeProjectDown",
      ]),
  ]

  private static let policy = [
    Point(
      rule: "The actor is not told; one notification for an event and person, by the strongest reason.",
      tests: [
        "CommentAddedTests/tellsTeamAndSubmitterButNotTheAuthor", "CommentAddedTests/theStrongestReasonCounts",
        "RepeatedEventTests/eightCopiesAtOnceHaveOneEffect",
      ]),
    Point(
      rule: "The inbox has its row without a push; the badge is that of the moment.",
      tests: ["DecisionTests/leavesItsEntryInTheInbox", "DeliveryClaimingTests/theBadgeIsThatOfTheMoment"]),
    Point(
      rule: "Mutes beat defaults.",
      tests: ["GateTests/resolvesPreferences", "GateTests/aMuteStopsWhatAnOverrideAllows"]),
    Point(
      rule: "Claims are leases; what was sent is final; attempts are only added; tokens are masked.",
      tests: [
        "DeliveryClaimingTests/aLeaseThatRanOutAndWasTakenByAnotherIsNotSettledByTheFirst",
        "AttemptLogTests/aLineIsNeverWrittenAgain",
        "EndingProcessTests/killedAtAnyMomentItLosesNothingAndShowsNothingTwice",
        "EndingProcessTests/severalProcessesSendEachDeliveryOnce", "ProviderTokenTests/doesNotShowItself",
      ]),
    Point(
      rule: "Quiet hours end on the clock of the person's zone; what waited comes then, once, and if it still matters.",
      tests: [
        "DeliveryPolicyClockTests/nightsWindowsAndFullHoursPutOffAndLoseNothing",
        "ReleaseHeldTests/theNightIsWaitedForAndEndsInOnePush",
        "ReleaseHeldTests/aZoneThatChangesWhileSomethingWaitsIsFollowed",
        "ReleaseHeldTests/whatWasReadMeanwhileIsNotSent", "QuietHoursTests/anUnknownOrMissingZoneIsUTC",
        "HoldingGateTests/whatWouldBePointlessInTheMorningIsNotHeld",
      ]),
    Point(
      rule: "What comes within minutes of its like becomes one push with the number in it, in the place of the first.",
      tests: [
        "DeliveryPolicyClockTests/nightsWindowsAndFullHoursPutOffAndLoseNothing",
        "ReleaseHeldTests/theFirstVoteGoesOutAndTheRestOfTenMinutesInOne",
        "ReleaseHeldTests/theInboxAndTheBadgeCountWhatWasMergedOnce",
      ]),
    Point(
      rule: "A person's limit holds in any hour; what finds no room waits, and what asks for an answer passes.",
      tests: [
        "DeliveryPolicyClockTests/nightsWindowsAndFullHoursPutOffAndLoseNothing",
        "ReleaseHeldTests/moreThanAnHourTakesWaitsForRoom",
        "ReleaseHeldTests/afterTheNightThereIsStillTimeToWaitForRoom",
        "HoldingGateTests/whoeverIsWaitedForIsToldBeyondTheLimit",
      ]),
    Point(
      rule: "Every kind of every app arrives with its whole payload, header fields, badge and expiration.",
      tests: [
        "KindTests/everyKindArrivesWithItsPayloadAndNothingElseDoes",
        "KindTests/everyPayloadOnFileIsExpectedFromSomething", "PayloadCatalogueTests/theFilesOfAnAppAreItsKinds",
      ]),
    Point(
      rule: "Background and badge-only pushes: three an hour and device.",
      tests: [
        "QuietPushTests/theFourthOfAnHourWaitsAndThenHasTheLatestValue",
        "BadgePushTests/theFourthOfAnHourFollowsWithTheLatestNumberWhenThereIsRoom",
      ]),
  ]
}
