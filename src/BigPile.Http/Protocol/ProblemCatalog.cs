using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using Microsoft.AspNetCore.Http;

namespace BigPile.Http.Protocol;

/// <summary>All problems of the service. Codes are part of the public interface and are never renamed.</summary>
/// <remarks>Each code is a field; a method returns a field's problem with details of the request.</remarks>
internal static class ProblemCatalog
{
    // ---- not found

    internal static readonly Problem EntryNotFound =
        new(StatusCodes.Status404NotFound, "entry_not_found", "The table has no entry with this key.");

    internal static readonly Problem EntryStale =
        new(StatusCodes.Status404NotFound, "entry_stale", "The entry is older than the request's maxAge takes it.");

    internal static readonly Problem TableNotFound =
        new(StatusCodes.Status404NotFound, "table_not_found", "There is no table of this name.");

    internal static readonly Problem OperationNotFound =
        new(StatusCodes.Status404NotFound, "operation_not_found", "There is no operation with this id.",
            "The service keeps the last hundred operations.");

    internal static readonly Problem RouteNotFound =
        new(StatusCodes.Status404NotFound, "route_not_found", "There is nothing at this path.");

    internal static readonly Problem MethodNotAllowed =
        new(StatusCodes.Status405MethodNotAllowed, "method_not_allowed", "The method is not one that this path has; see the Allow header.");

    // ---- names, keys and headers

    internal static readonly Problem InvalidTableName =
        new(StatusCodes.Status400BadRequest, "table_name_invalid", "The table's name is not valid.",
            "A name has 1 to 128 characters of A-Z, a-z, 0-9, '.', '_' and '-', and is not '.' or '..'.");

    internal static readonly Problem BadKey = new(StatusCodes.Status400BadRequest, "key_invalid", "The key is not valid.");

    internal static readonly Problem BadHeader =
        new(StatusCodes.Status400BadRequest, "header_invalid", "A header has a value that it can't have.");

    internal static readonly Problem BadQuery =
        new(StatusCodes.Status400BadRequest, "query_invalid", "A parameter of the query has a value that it can't have.");

    internal static readonly Problem BadMaxAge =
        new(StatusCodes.Status400BadRequest, "max_age_invalid", "The parameter maxAge is not a number of seconds from 0 to 9999999999.");

    internal static readonly Problem InvalidCursor =
        new(StatusCodes.Status400BadRequest, "cursor_invalid",
            "The cursor is not one of this table, or from before the service was started.",
            "Begin again without a cursor.");

    internal static readonly Problem NotAcceptable =
        new(StatusCodes.Status406NotAcceptable, "not_acceptable", "The answer does not come in a form that the Accept header names.");

    internal static readonly Problem EncodingRefused =
        new(StatusCodes.Status406NotAcceptable, "encoding_not_acceptable",
            "The Accept-Encoding header refuses every form in which there is the entry.",
            "Entries come as they were put, and decompressed.");

    internal static readonly Problem RangeOutside =
        new(StatusCodes.Status416RangeNotSatisfiable, "range_not_satisfiable", "The range begins behind the end of the entry.");

    // ---- conditions

    internal static readonly Problem Precondition =
        new(StatusCodes.Status412PreconditionFailed, "precondition_failed",
            "The entry is not in the state that the request's condition names.");

    internal static readonly Problem EntryExists =
        new(StatusCodes.Status409Conflict, "entry_exists", "The table has an entry with this key already.",
            "POST puts only what is not there; PUT replaces.");

    // ---- bodies

    internal static readonly Problem LongBody =
        new(StatusCodes.Status413PayloadTooLarge, "body_too_large", "The body is longer than the service takes.");

    internal static readonly Problem LongBatch =
        new(StatusCodes.Status413PayloadTooLarge, "batch_too_large",
            "The batch has more items, or more bytes, than the service takes at once.");

    internal static readonly Problem InvalidContentType =
        new(StatusCodes.Status415UnsupportedMediaType, "content_type_invalid",
            "The content type is not a media type of at most 255 ASCII characters.");

    internal static readonly Problem UnsupportedContentType =
        new(StatusCodes.Status415UnsupportedMediaType, "content_type_unsupported",
            "The body's content type is not one that this path takes.");

    internal static readonly Problem UnsupportedCoding =
        new(StatusCodes.Status415UnsupportedMediaType, "content_encoding_unsupported",
            "The body's Content-Encoding is not one that can be stored.",
            "There are gzip, br and deflate, one at a time.");

    internal static readonly Problem BadCoding =
        new(StatusCodes.Status400BadRequest, "content_encoding_invalid", "The body can't be decompressed as its Content-Encoding says.");

    internal static readonly Problem PartialBody =
        new(StatusCodes.Status400BadRequest, "partial_put_unsupported", "A part of an entry can't be put.");

    internal static readonly Problem BadBody =
        new(StatusCodes.Status400BadRequest, "body_invalid", "The request's body could not be read.");

    internal static readonly Problem BadDocument =
        new(StatusCodes.Status400BadRequest, "document_invalid", "The request's body is not the document that this path takes.");

    // ---- tables

    internal static readonly Problem OtherKeyType =
        new(StatusCodes.Status409Conflict, "table_key_type", "The table has keys that are not text.",
            "The application made it with another type of keys, and it can't be reached by this path.");

    internal static readonly Problem OpaqueValue =
        new(StatusCodes.Status409Conflict, "value_not_servable", "The table's values are the application's own, and have no content type.",
            "They are neither shown nor put by this path. MapTable serves the objects of a table as JSON.");

    internal static readonly Problem TableOwned =
        new(StatusCodes.Status409Conflict, "table_owned", "The table belongs to the application and can't be dropped.");

    internal static readonly Problem BadTableOptions =
        new(StatusCodes.Status400BadRequest, "table_options_invalid", "An option of the table has a value that it can't have.");

    // ---- capacity

    internal static readonly Problem EntryRefused =
        new(StatusCodes.Status409Conflict, "entry_refused",
            "The table is speculative, and everything that could make room is worth more than the entry.",
            "Nothing was changed. A higher BigPile-Priority, or a higher limit of the table, lets it in.");

    internal static readonly Problem TableFull =
        new(StatusCodes.Status507InsufficientStorage, "table_full", "The table is at its limit, and nothing in it may go.",
            "Nothing was changed.");

    internal static readonly Problem TablesFull =
        new(StatusCodes.Status507InsufficientStorage, "tables_full", "There are as many tables as there may be.");

    internal static readonly Problem PileFull =
        new(StatusCodes.Status507InsufficientStorage, "pile_full",
            "The pile is full: there is no space for the entry. Nothing was changed.");

    // ---- the service itself

    internal static readonly Problem PileFailed =
        new(StatusCodes.Status500InternalServerError, "pile_failed", "The pile could not do it.");

    internal static readonly Problem TooManyOperations =
        new(StatusCodes.Status429TooManyRequests, "operations_busy", "As many operations run as may run at once.") { RetryAfterMs = 1000 };

    internal static readonly Problem OperationEnded =
        new(StatusCodes.Status409Conflict, "operation_ended", "The operation has ended, or can't be stopped.");

    internal static readonly Problem NotReady =
        new(StatusCodes.Status503ServiceUnavailable, "not_ready", "The pile is not open; see /health/ready.") { RetryAfterMs = 1000 };

    // ---- access

    internal static readonly Problem CredentialsMissing =
        new(StatusCodes.Status401Unauthorized, "credentials_missing", "The service asks for an API key.",
            "Send the key as 'Authorization: Bearer NAME.SECRET' or 'X-Api-Key: NAME.SECRET'.");

    internal static readonly Problem CredentialsInvalid =
        new(StatusCodes.Status401Unauthorized, "credentials_invalid", "There is no such API key.");

    internal static readonly Problem HostNotServed =
        new(StatusCodes.Status421MisdirectedRequest, "host_not_served", "The request's host is not one that the service serves.",
            "Without keys it serves loopback names and addresses; the setting Security:Hosts names others.");

    internal static readonly Problem OriginForbidden =
        new(StatusCodes.Status403Forbidden, "origin_forbidden", "A page of another origin may not change anything.",
            "Without keys only the service's own page may; the setting Security:Origins names others.");

    internal static readonly Problem AmbiguousFraming =
        new(StatusCodes.Status400BadRequest, "framing_ambiguous", "The request does not say in one way where its body ends.",
            "A body has a Content-Length, or in HTTP/1.1 'Transfer-Encoding: chunked', and not both.");

    internal static readonly Problem UnknownTransferCoding =
        new(StatusCodes.Status501NotImplemented, "transfer_coding_unsupported", "The only Transfer-Encoding of a body is 'chunked'.");

    internal static readonly Problem Overloaded =
        new(StatusCodes.Status503ServiceUnavailable, "overloaded", "The service has as many requests as it takes at once.");

    internal static readonly Problem TimedOut =
        new(StatusCodes.Status503ServiceUnavailable, "request_timed_out", "The request took longer than the service gives one.");

    internal static readonly Problem BuffersFull =
        new(StatusCodes.Status503ServiceUnavailable, "buffers_full",
            "Bodies and answers in flight take all the memory that they may have together.")
        {
            RetryAfterMs = 1000,
        };

    internal static readonly Problem NoScope = new(StatusCodes.Status403Forbidden, "scope_missing", "The API key may not do this.");

    internal static readonly Problem NoTable =
        new(StatusCodes.Status403Forbidden, "table_forbidden", "The API key does not reach the table.");

    internal static readonly Problem NoPermit =
        new(StatusCodes.Status429TooManyRequests, "rate_limited", "The API key has made its requests for now.");

    /// <summary>All problems, ordered by status and code.</summary>
    internal static IReadOnlyList<Problem> All() =>
    [
        .. typeof(ProblemCatalog).GetFields(BindingFlags.Static | BindingFlags.NonPublic)
            .Select(static field => field.GetValue(null)).OfType<Problem>()
            .OrderBy(static problem => problem.Status).ThenBy(static problem => problem.Code, StringComparer.Ordinal),
    ];

    internal static Problem ScopeMissing(string keyName, string scope) =>
        NoScope with { Detail = $"The request needs the scope '{scope}', which the key '{keyName}' does not have." };

    internal static Problem TableForbidden(string keyName, ReadOnlySpan<char> table) => NoTable with
    {
        Detail = table.IsEmpty
            ? $"The request is about all tables, and the key '{keyName}' is for some of them."
            : $"The key '{keyName}' is for other tables.",
        Table = table.IsEmpty ? null : table.ToString(),
    };

    internal static Problem RateLimited(string keyName) =>
        NoPermit with { Detail = $"The key '{keyName}' has a limit of requests a second; see Retry-After." };

    internal static Problem InvalidKey(string detail) => BadKey with { Detail = detail };

    internal static Problem InvalidHeader(string name, string value, string form) =>
        BadHeader with { Detail = $"{name} is '{Cut(value)}'; it must be {form}." };

    internal static Problem InvalidQuery(string name, string value, string form) =>
        BadQuery with { Detail = $"{name} is '{Cut(value)}'; it must be {form}." };

    internal static Problem InvalidDocument(string detail) => BadDocument with { Detail = detail };

    internal static Problem InvalidTableOptions(string detail) => BadTableOptions with { Detail = detail };

    internal static Problem UndecodableBody(string detail) => BadCoding with { Detail = detail };

    internal static Problem UnsupportedType(string accepted) => UnsupportedContentType with { Detail = $"It takes {accepted}." };

    internal static Problem BodyTooLarge(long limitBytes, long? actualBytes) => LongBody with { Limit = limitBytes, Actual = actualBytes };

    internal static Problem DecodedBodyTooLarge(long limitBytes) =>
        LongBody with { Limit = limitBytes, Detail = "Decompressed, it has more bytes than a body may have." };

    internal static Problem DecodedBatchTooLarge =>
        LongBatch with { Detail = "Decompressed, the payloads of the request have more bytes together than one request may have. Send "
            + "fewer at once." };

    internal static Problem TooManyTables(string detail, long limit) => TablesFull with { Detail = detail, Limit = limit };

    internal static Problem BatchTooLarge(string what, long limit, long? actual) =>
        LongBatch with { Limit = limit, Actual = actual, Detail = $"A batch has at most {limit:N0} {what}." };

    private static string Cut(string text) => ShortText.Of(text, 100);
}
