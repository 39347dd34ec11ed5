import CLI

/// APNs and FCM as a sender sees them.
@main
struct PushEmulator {
  // Explicitly concurrent, because an async entry point must not depend on its caller's isolation.
  @concurrent static func main() async {
    let program = Program(
      "push-emulator",
      "APNs and FCM as a sender sees them, for development and tests. Nothing leaves\nthis machine.",
      commands: [ServeCommand.spec, PushesCommand.spec, TokenCommand.spec])
    await program.main()
  }
}
