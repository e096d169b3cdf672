using System.Threading;

namespace BigPile.Perf.Soaking;

/// <summary>Periodic operations: walks, short-lived tables, and the pile's own maintenance.</summary>
/// <remarks>Scheduled by a worker's step count rather than by a clock, so that it follows from the seed. The first time is early.</remarks>
internal sealed class SoakMaintenance
{
    private readonly SoakPlace _place;
    private readonly SoakTally _tally;
    private readonly Duty[] _duties;

    internal SoakMaintenance(SoakPlace place, int worker, SoakTally tally, OwnObjects own, KeptKeys kept, TaggedKeys tagged)
    {
        (_place, _tally) = (place, tally);
        var shortLived = new ShortLivedTable(place, worker, tally);
        bool isFirst = worker == 0;
        bool isLast = worker == place.Options.Threads - 1;
        _duties =
        [
            new Duty(50_000, 500, shortLived.Pass),
            new Duty(200_000, 1000, own.Walk),
            new Duty(500_000, 1500, kept.Walk),
            new Duty(8L * place.Budget.TaggedKeys + 10_000, 2000, tagged.RemoveByTag),
            new Duty(100_000, 2500, Flush, isFirst),
            new Duty(1_000_000, 3000, Trim, isFirst),
            new Duty(1_000_000, 3500, Sweep, isLast),
            new Duty(3_000_000, 4000, Compact, isLast),
            new Duty(5_000_000, 4500, Verify, isLast),
        ];
    }

    /// <summary>Does what is due at a worker's step.</summary>
    internal void At(long step)
    {
        foreach (Duty duty in _duties)
        {
            if (duty.IsAssigned && step % duty.Period == duty.First)
                duty.Do();
        }
    }

    /// <summary>Verifies every block, and the sums of the pile's statistics.</summary>
    internal void Verify()
    {
        _tally.Count(SoakKind.Verify);
        PileVerification found = _place.Pile.Verify();
        if (!found.IsSound)
            _place.Errors.Report($"{found.FaultCount:N0} faults: {string.Join("; ", found.Faults)}");
        PileStatistics figures = _place.Pile.Statistics;
        long used = figures.PayloadBytes + figures.HeaderBytes + figures.SlackBytes + figures.FreeBytes + figures.UnexaminedBytes;
        if (figures.CommittedBytes != used || figures.ReservedBytes != figures.CommittedBytes + figures.UnusedBytes)
            _place.Errors.Report($"the pile's figures do not add up: {figures}");
        CheckLimit(_place.Limited.Name, _place.Limited.Statistics.TotalBytes, _place.Budget.LimitedBytes);
        CheckLimit(_place.Tagged.Name, _place.Tagged.Statistics.TotalBytes, _place.Budget.TaggedBytes);
    }

    private void CheckLimit(string name, long bytes, long limitBytes)
    {
        if (bytes > limitBytes)
            _place.Errors.Report($"the table '{name}' takes {bytes:N0} bytes, and its limit is {limitBytes:N0}");
    }

    private void Flush()
    {
        _tally.Count(SoakKind.Flush);
        _place.Pile.Flush();
    }

    private void Trim()
    {
        _tally.Count(SoakKind.Trim);
        _place.Pile.Trim();
    }

    private void Compact()
    {
        _tally.Count(SoakKind.Compact);
        _ = _place.Pile.Compact(cancellationToken: CancellationToken.None);
    }

    private void Sweep()
    {
        _tally.Count(SoakKind.Sweep);
        _ = _place.Limited.Sweep() + _place.Tagged.Sweep();
    }

    private readonly record struct Duty(long Period, int First, System.Action Do, bool IsAssigned = true);
}
