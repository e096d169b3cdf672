using System;
using System.Collections.Generic;
using System.CommandLine;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Perf.Messages;

namespace BigPile.Perf;

/// <summary>The command <c>ports</c>.</summary>
internal sealed class PortsCommand : ReportCommand<PortsOptions, IReadOnlyList<PortsRow>>
{
    private static readonly PortsOptions Defaults = new();

    private readonly Option<PortsMode> _mode = LoadOption.Name(
        "--mode", "There and back, one after the other, or each to all receivers.", Defaults.Mode);
    private readonly Option<int[]> _sizes = LoadOption.Numbers(
        "--size", "The bytes of a message, from 16", Defaults.SizesBytes, PortsOptions.MaxBytes, MessageBuffer.MinBytes);
    private readonly Option<int[]> _receivers = LoadOption.Numbers(
        "--receivers", "How many processes receive", Defaults.Receivers, PortsOptions.MaxReceivers);
    private readonly Option<int> _count = LoadOption.Count(
        "How many messages are measured of each way.", Defaults.Count, PortsOptions.MaxCount);
    private readonly Option<MessageWay[]> _ways = LoadOption.Names<MessageWay>("--way", "The ways of messages");
    private readonly Option<bool> _pin = new("--pin")
    {
        Description = "Keep the sender on one core, and the receivers on the others, for all ways.",
    };

    private readonly Option<string?> _worker = new("--worker") { Hidden = true };
    private readonly Option<int> _lane = new("--lane") { Hidden = true };

    internal PortsCommand(TextWriter output)
        : base(output, "ports",
            "Sends messages to other processes by ports of shared memory, and beside them by TCP, UDP and Unix sockets, and by pipes. "
                + "Each message is copied in and out on both sides, and checked.",
            static (options, progress, stop) => OperatingSystem.IsLinux()
                ? MessageRunner.Run(options, progress, stop)
                : throw new LoadException("Ports need Linux. Run this there."))
    {
        AddOptions(_mode, _sizes, _receivers, _count, _ways, _pin);
        Add(_worker);
        Add(_lane);
    }

    protected override int Execute(ParseResult arguments, CancellationToken stop)
    {
        if (arguments.GetValue(_worker) is not { } address || !OperatingSystem.IsLinux())
            return base.Execute(arguments, stop);
        PortsOptions options = Read(arguments);
        var route = new MessageRoute(options, options.Ways[0], options.SizesBytes[0]);
        return MessageWorker.Run(route, address, arguments.GetValue(_lane), Output);
    }

    protected override PortsOptions Read(ParseResult arguments)
    {
        var options = new PortsOptions
        {
            Mode = arguments.GetValue(_mode),
            SizesBytes = arguments.GetRequiredValue(_sizes),
            Receivers = arguments.GetRequiredValue(_receivers),
            Count = arguments.GetValue(_count),
            Ways = arguments.GetRequiredValue(_ways),
            IsPinned = arguments.GetValue(_pin),
        };
        if (options.Ways.Contains(MessageWay.Udp) && options.SizesBytes.Max() > DatagramChannel.MaxBytes)
        {
            throw new LoadException(
                $"--size {options.SizesBytes.Max()} is too large for udp, which has room for {DatagramChannel.MaxBytes} bytes at a time. "
                + "Leave udp out by --way.");
        }
        if (options.IsPinned && Environment.ProcessorCount == 1)
            throw new LoadException("--pin wants a core for the sender alone, and there is one in all. Leave --pin out.");
        return options;
    }
}

/// <summary>What the ports load is asked to do.</summary>
internal sealed record PortsOptions
{
    internal const int MaxBytes = 1 << 20;
    internal const int MaxReceivers = 32;
    internal const int MaxCount = 1_000_000_000;

    internal PortsMode Mode { get; init; } = PortsMode.Roundtrip;
    internal IReadOnlyList<int> SizesBytes { get; init; } = [64]; // the bytes of a message, one size after the other
    internal IReadOnlyList<int> Receivers { get; init; } = [1]; // how many processes receive, one number after the other
    internal int Count { get; init; } = 20_000; // the messages that are measured of each way, in each size, with each number of receivers
    internal IReadOnlyList<MessageWay> Ways { get; init; } = System.Enum.GetValues<MessageWay>();

    /// <summary>Whether the sender's thread and those of the receivers each stay on a core, the sender's on one of its own.</summary>
    internal bool IsPinned { get; init; }
}

/// <summary>How messages go in the ports load.</summary>
internal enum PortsMode
{
    Roundtrip, // a message there and back, then the next one
    Stream, // one message after the other, as fast as they are received
    Multicast, // each to all receivers
}
