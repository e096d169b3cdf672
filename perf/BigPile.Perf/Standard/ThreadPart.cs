using System.Collections.Generic;
using System.Globalization;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Standard;

/// <summary>What a core buys: the pile's rates against threads, in the three stores.</summary>
internal sealed class ThreadPart : IStandardPart
{
    private const int BytesPerObject = 64; // more than a string of 32 characters takes, with the pointer

    private static readonly string[] Stores = ["native", "managed", "mapped"];

    public string Name => "threads";

    public IReadOnlyList<ChartHead> Charts(StandardBudget budget)
    {
        string made = string.Create(
            CultureInfo.InvariantCulture,
            $"{CountOf(budget):N0} strings of 32 characters, divided among the threads, on memory used before (insert --threads T).");
        return
        [
            Head("put", "Put", made),
            Head("get", "Get in the order of the puts", made),
            Head("random", "Get at random", made),
            Head("batch", "Get at random, 64 in a call", made),
        ];
    }

    public IEnumerable<StandardStep> Steps(StandardBudget budget)
    {
        int count = CountOf(budget);
        foreach (int threads in budget.Threads())
        {
            foreach (string store in Stores)
            {
                string title = string.Create(
                    CultureInfo.InvariantCulture, $"threads: {count:N0} strings, {store} store, {Counted.Of(threads, "thread")}");
                long bytes = count * (long)BytesPerObject;
                if (store == "mapped" ? budget.HasDiskFor(title, bytes) : budget.HasMemoryFor(title, bytes))
                    yield return new StandardStep(title, step => Measure(step, store, count, threads));
            }
        }
    }

    private static void Measure(StepContext step, string store, int count, int threads)
    {
        string[] arguments =
        [
            "insert", "--store", store, "--count", count.ToString(CultureInfo.InvariantCulture),
            "--threads", threads.ToString(CultureInfo.InvariantCulture),
        ];
        InsertReport report = store == "mapped"
            ? step.MeasureMapped(JsonReport.Default.InsertReport, arguments)
            : step.Measure(JsonReport.Default.InsertReport, arguments);
        step.Add("threads-put", store, threads, report.PutPerSecond);
        step.Add("threads-get", store, threads, report.GetPerSecond);
        step.Add("threads-random", store, threads, report.RandomGetPerSecond);
        step.Add("threads-batch", store, threads, report.RandomBatchGetPerSecond);
    }

    private static ChartHead Head(string id, string title, string made) => new(
        $"threads-{id}", $"{title}: throughput against threads", made, new RunAxis("threads", "", IsLogarithmic: true),
        new RunAxis("operations", "a second", IsLogarithmic: false), MoreIsBetter: true);

    private static int CountOf(StandardBudget budget) => budget.Quick ? 2_000_000 : 5_000_000;
}
