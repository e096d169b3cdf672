using System;
using System.CommandLine;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Messages;
using BigPile.Perf.Reports;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>ports</c>: its options, and what is printed.</summary>
internal sealed class PortsCommand : ReportCommand<PortsOptions, PortsReport>
{
    private static readonly PortsOptions Defaults = new();

    private readonly Option<PortsMode?> _mode = new("--mode")
    {
        Description = "There and back, one after the other, or each to all receivers; roundtrip by default.",
        CustomParser = OptionParsers.ParsePortsMode,
        HelpName = "roundtrip|stream|multicast",
    };

    private readonly Option<int[]?> _sizes = new("--size")
    {
        Description = "The bytes of a message, from 16; several with commas between. 64 by default.",
        CustomParser = result => OptionParsers.ParseNumbers(result, "--size", PortsOptions.MaxBytes, MessageBuffer.MinBytes),
        HelpName = "B",
    };

    private readonly Option<int[]?> _receivers = new("--receivers")
    {
        Description = "How many processes receive; several numbers with commas between. 1 by default.",
        CustomParser = result => OptionParsers.ParseNumbers(result, "--receivers", PortsOptions.MaxReceivers),
        HelpName = "R",
    };

    private readonly Option<int> _count =
        SharedOptions.Count("How many messages are measured of each way.", Defaults.Count, PortsOptions.MaxCount);

    private readonly Option<MessageWay[]?> _ways = new("--way")
    {
        Description = "The ways of messages, with commas between; all of them by default.",
        CustomParser = OptionParsers.ParseWays,
        HelpName = string.Join('|', MessageWays.All.Select(MessageWays.NameOf)),
    };

    private readonly Option<bool> _pin = new("--pin")
    {
        Description = "Keep the sender on one core, and the receivers on the others, for all ways.",
    };

    private readonly Option<string?> _worker = new("--worker") { Hidden = true };

    private readonly Option<int> _lane = new("--lane") { Hidden = true };

    internal PortsCommand(TextWriter output)
        : base(output, "ports",
            "Sends messages to other processes by ports of shared memory, and beside them by TCP, UDP and Unix sockets, and by pipes. "
                + "Each message is copied in and out on both sides, and checked.")
    {
        AddOptions(_mode, _sizes, _receivers, _count, _ways, _pin);
        Add(_worker);
        Add(_lane);
    }

    protected override int Execute(ParseResult arguments, CancellationToken stop)
    {
        if (!OperatingSystem.IsLinux())
            throw new LoadException("Ports need Linux. Run this there.");
        if (arguments.GetValue(_worker) is not { } address)
            return base.Execute(arguments, stop);
        PortsOptions options = Read(arguments);
        var route = new MessageRoute(options, options.Ways[0], options.SizesBytes[0]);
        return MessageWorker.Run(route, address, arguments.GetValue(_lane), Output);
    }

    protected override PortsOptions Read(ParseResult arguments)
    {
        var options = new PortsOptions
        {
            Mode = arguments.GetValue(_mode) ?? Defaults.Mode,
            SizesBytes = arguments.GetValue(_sizes) is { Length: > 0 } sizes ? sizes : Defaults.SizesBytes,
            Receivers = arguments.GetValue(_receivers) is { Length: > 0 } receivers ? receivers : Defaults.Receivers,
            Count = arguments.GetValue(_count),
            Ways = arguments.GetValue(_ways) is { Length: > 0 } ways ? ways : Defaults.Ways,
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

    protected override PortsReport Run(PortsOptions options, ILoadProgress progress, CancellationToken stop) =>
        OperatingSystem.IsLinux() ? MessageRunner.Run(options, progress, stop) : throw new PlatformNotSupportedException();

    protected override string ToJson(PortsReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, PortsReport report) => PortsTable.Write(console, report);
}
