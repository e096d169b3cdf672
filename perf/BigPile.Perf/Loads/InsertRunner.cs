using System;
using System.Globalization;
using System.Threading;
using BigPile.Perf.Payloads;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Loads;

/// <summary>Runs an insert load and releases everything afterwards, however it ends.</summary>
internal static class InsertRunner
{
    /// <summary>Runs the load.</summary>
    /// <exception cref="LoadException">The load is impossible here, or the pile gave a wrong answer.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
    internal static InsertReport Run(InsertOptions options, ILoadProgress progress, CancellationToken stop)
    {
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, options.Directory);
        long limitBytes = MachineLimits.LimitFor(options, directory);
        try
        {
            return options.Payload.Shape switch
            {
                PayloadShape.Text => Run(options, new TextKind(options.Payload.LengthBytes), directory, limitBytes, progress, stop),
                PayloadShape.Bytes => Run(options, new BytesKind(options.Payload.LengthBytes), directory, limitBytes, progress, stop),
                _ => Run(options, new PersonKind(), directory, limitBytes, progress, stop),
            };
        }
        catch (PileFullException e)
        {
            string reason = e.InnerException?.Message ?? string.Create(CultureInfo.InvariantCulture, $"the limit is {limitBytes:N0} bytes");
            throw Full(options, reason, e);
        }
        catch (OutOfMemoryException e)
        {
            throw Full(options, e.Message, e);
        }
    }

    private static InsertReport Run<TKind>(
        InsertOptions options, TKind kind, WorkDirectory? directory, long limitBytes, ILoadProgress progress, CancellationToken stop)
        where TKind : struct, IPayloadKind<TKind>
    {
        Rehearsal.Run(options, kind, stop);
        using var load = new InsertLoad<TKind>(options, kind, directory, limitBytes, progress, stop);
        return load.Run();
    }

    private static LoadException Full(InsertOptions options, string reason, Exception cause)
    {
        string remedy = options.Store == StoreKind.Mapped ? "name a --dir on a larger disk" : "use --store mapped";
        return new LoadException(
            string.Create(
                CultureInfo.InvariantCulture,
                $"The pile is full before --count {options.Count} of {options.Payload} was reached: {reason.TrimEnd('.')}. "
                + $"Lower --count or the size of --payload, or {remedy}."),
            cause);
    }
}
