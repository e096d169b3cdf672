using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Tables;

namespace BigPile.Perf;

/// <summary>The command <c>compare</c>: its options, and what is printed.</summary>
internal sealed class CompareCommand : Command
{
    private static readonly CacheOptions Defaults = new();

    private readonly Option<int> _valueBytes = SharedOptions.ValueBytes(Defaults.ValueBytes);

    private readonly Option<int> _count = SharedOptions.Count("How many entries.", Defaults.Count, CacheOptions.MaxCount);

    private readonly Option<int> _threads = SharedOptions.Threads("How many threads share the entries.", Defaults.Threads);

    private readonly Option<bool> _json = SharedOptions.Json();

    private readonly TextWriter _output;

    internal CompareCommand(TextWriter output)
        : base("compare", "Puts and gets the same in a table, in a ConcurrentDictionary and in a MemoryCache, with the pauses of the collector.")
    {
        _output = output;
        Add(_valueBytes);
        Add(_count);
        Add(_threads);
        Add(_json);
        SetAction(RunAsync);
    }

    private Task<int> RunAsync(ParseResult arguments, CancellationToken stop)
    {
        var options = new CacheOptions
        {
            ValueBytes = arguments.GetValue(_valueBytes),
            Count = arguments.GetValue(_count),
            Threads = arguments.GetValue(_threads),
        };
        if (arguments.GetValue(_json))
            _output.WriteLine(JsonReport.Write(CompareRunner.Run(options, new NoProgress(), stop)));
        else
            ReportConsole.Show(_output, progress => CompareRunner.Run(options, progress, stop), CacheTables.Write);
        return Task.FromResult(0);
    }
}
