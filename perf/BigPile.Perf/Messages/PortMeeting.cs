using System.Runtime.Versioning;
using BigPile.Ports;

namespace BigPile.Perf.Messages;

/// <summary>Two ports of an arena.</summary>
[SupportedOSPlatform("linux")]
internal sealed class PortMeeting(SharedArena arena, MessageRoute route, string directory, int lane) : IMeeting
{
    /// <summary>The arena's name in its directory.</summary>
    internal const string ArenaName = "messages";

    private readonly PortChannel _channel = PortChannel.Open(arena, route, lane, isSender: true);

    public string Address => directory;

    public IMessageChannel Meet() => _channel;

    public void Dispose() => _channel.Dispose();
}
