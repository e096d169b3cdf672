using System;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Limits;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Protocol;

/// <summary>Maps exceptions and outcomes to problems.</summary>
internal static class ProblemMapper
{
    /// <summary>The problem of an exception that a request may cause.</summary>
    /// <param name="exception">The exception.</param>
    /// <param name="maxBodyBytes">The maximum size of a body, in bytes.</param>
    /// <returns><see langword="null"/> if the exception is a defect of the service.</returns>
    internal static Problem? FromException(Exception exception, long maxBodyBytes) => exception switch
    {
        BadHttpRequestException { StatusCode: StatusCodes.Status413PayloadTooLarge } => ProblemCatalog.BodyTooLarge(maxBodyBytes, null),
        BadHttpRequestException bad => ProblemCatalog.BadBody with { Status = bad.StatusCode, Detail = bad.Message },
        BufferQuotaException full => ProblemCatalog.BuffersFull with { Limit = full.LimitBytes },
        RefusedException refused => refused.Problem,
        TableDroppedException => ProblemCatalog.TableNotFound,
        ObjectDisposedException => ProblemCatalog.NotReady,
        PileFullException => ProblemCatalog.PileFull, // the message has the limit and paths: it is for the log
        PileException failed => ProblemCatalog.PileFailed with { Detail = failed.Message },
        _ => null,
    };

    /// <summary>The problem of a put that the eviction policy refused: every victim is worth more.</summary>
    internal static Problem FromRefusal(CacheTable table) =>
        table.Options.CollisionMode == CollisionMode.Durable ? ProblemCatalog.TableFull : ProblemCatalog.EntryRefused;

    /// <summary>The problem of a name without a readable table: there is none, or its keys are not text.</summary>
    internal static Problem ForMissingTable(ServedTables tables, string name) =>
        tables.HasOtherKeys(name) ? ProblemCatalog.OtherKeyType : ProblemCatalog.TableNotFound;

    /// <summary>The problem of a table that can't be served.</summary>
    internal static Problem FromRefusal(TableRefusal refusal) => refusal.Reason switch
    {
        TableRefusalReason.OtherKeyType => ProblemCatalog.OtherKeyType,
        TableRefusalReason.OpaqueValue => ProblemCatalog.OpaqueValue,
        _ => ProblemCatalog.TooManyTables(refusal.Detail!, refusal.Limit),
    };
}
