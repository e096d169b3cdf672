using System;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Limits;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Protocol;

/// <summary>Which problem an exception or an outcome is.</summary>
internal static class ProblemMapper
{
    /// <summary>The problem of an exception that a request may come to.</summary>
    /// <param name="exception">The exception.</param>
    /// <param name="maxBodyBytes">The most bytes of a body.</param>
    /// <returns><see langword="null"/> when it is a defect.</returns>
    internal static Problem? FromException(Exception exception, long maxBodyBytes) => exception switch
    {
        BadHttpRequestException { StatusCode: StatusCodes.Status413PayloadTooLarge } => ProblemCatalog.BodyTooLarge(maxBodyBytes, null),
        BadHttpRequestException bad => ProblemCatalog.BadBody with { Status = bad.StatusCode, Detail = bad.Message },
        BufferQuotaException full => ProblemCatalog.BuffersFull with { Limit = full.LimitBytes },
        RefusedException refused => refused.Problem,
        TableDroppedException => ProblemCatalog.TableNotFound,
        ObjectDisposedException => ProblemCatalog.NotReady,
        PileFullException full => ProblemCatalog.PileFull with { Detail = full.Message },
        PileException failed => ProblemCatalog.PileFailed with { Detail = failed.Message },
        _ => null,
    };

    /// <summary>The problem of a put that was refused, because everything that could make room is worth more.</summary>
    internal static Problem FromRefusal(CacheTable table) =>
        table.Options.CollisionMode == CollisionMode.Durable ? ProblemCatalog.TableFull : ProblemCatalog.EntryRefused;

    /// <summary>The problem of a name under which there is no table to read: there is none, or none with text keys.</summary>
    internal static Problem ForMissingTable(ServedTables tables, string name) =>
        tables.HasOtherKeys(name) ? ProblemCatalog.OtherKeyType : ProblemCatalog.TableNotFound;

    /// <summary>The problem of a table that can't be had.</summary>
    internal static Problem FromRefusal(TableRefusal refusal) => refusal.Reason switch
    {
        TableRefusalReason.OtherKeyType => ProblemCatalog.OtherKeyType,
        TableRefusalReason.OpaqueValue => ProblemCatalog.OpaqueValue,
        _ => ProblemCatalog.TooManyTables(refusal.Detail!, refusal.Limit),
    };
}
