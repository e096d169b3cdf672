using System;
using System.Diagnostics;
using System.IO;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Restarts;

/// <summary>
/// The child process whose pile is reopened later: it fills one and closes it on request, or changes one until it is killed.
/// </summary>
/// <remarks>It ends when its standard input closes, so that it does not outlive the console.</remarks>
internal static class RestartWorker
{
    internal const string Fill = "fill";
    internal const string Churn = "churn";

    /// <summary>Works as the parent says.</summary>
    internal static int Run(string role, string directory, RestartOptions options, TextReader input, TextWriter output)
    {
        using Pile pile = Pile.Open(directory);
        if (role == Churn)
            return ChurnUntilKilled(pile, input, output);
        output.WriteLine(JsonSerializer.Serialize(FillAndFlush(pile, options), JsonReport.Default.FillFigures));
        _ = input.ReadLine();
        long start = Stopwatch.GetTimestamp();
        pile.Dispose();
        output.WriteLine(Stopwatch.GetElapsedTime(start).TotalSeconds.ToString("R", System.Globalization.CultureInfo.InvariantCulture));
        return 0;
    }

    private static FillFigures FillAndFlush(Pile pile, RestartOptions options)
    {
        Span<byte> payload = stackalloc byte[RestartOptions.PayloadBytes];
        var some = new PilePointer[RestartOptions.ScatteredReplaces];
        long step = Math.Max(1, options.Count / some.Length);
        long start = Stopwatch.GetTimestamp();
        for (long i = 0; i < options.Count; i++)
        {
            NumberedPayload.Fill(payload, (ulong)i);
            PilePointer pointer = pile.Put(payload);
            if (i % step == 0 && i / step < some.Length)
                some[i / step] = pointer;
        }
        double fillSeconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        Measured first = MeasureFlush(pile);
        Replace(pile, some, payload);
        Measured scattered = MeasureFlush(pile);
        return new FillFigures(
            some[Math.Min(some.Length, options.Count) / 2].ToUInt64(), pile.Statistics.ReservedBytes, fillSeconds,
            first.Seconds, scattered.Seconds * 1000, scattered.Bytes);
    }

    private static void Replace(Pile pile, PilePointer[] pointers, Span<byte> payload)
    {
        for (int i = 0; i < pointers.Length; i++)
        {
            if (!pointers[i].IsValid)
                continue;
            NumberedPayload.Fill(payload, (ulong)i + (1UL << 40));
            pile.Replace(pointers[i], payload);
        }
    }

    private static Measured MeasureFlush(Pile pile)
    {
        long? before = DiskMeter.WrittenBytes();
        long start = Stopwatch.GetTimestamp();
        pile.Flush();
        return new Measured(Stopwatch.GetElapsedTime(start).TotalSeconds, DiskMeter.WrittenBytes() - before);
    }

    private static int ChurnUntilKilled(Pile pile, TextReader input, TextWriter output)
    {
        _ = Task.Run(() =>
        {
            _ = input.ReadLine(); // on a thread of its own: the console's reader has no way to wait without one
            Environment.Exit(0);
        });
        Span<byte> payload = stackalloc byte[RestartOptions.PayloadBytes];
        var pointers = new PilePointer[100_000];
        for (ulong i = 0; ; i++)
        {
            int index = (int)(i * 7919 % (ulong)pointers.Length);
            NumberedPayload.Fill(payload, i);
            if (!pointers[index].IsValid)
                pointers[index] = pile.Put(payload);
            else if (i % 3 == 0)
                pile.Delete(pointers[index]);
            else
                pile.Replace(pointers[index], payload);
            if (i % 3 == 0 && pointers[index].IsValid && !pile.Contains(pointers[index]))
                pointers[index] = default;
            if (i == (ulong)pointers.Length * 4)
                output.WriteLine("churning");
        }
    }

    private readonly record struct Measured(double Seconds, long? Bytes);
}
