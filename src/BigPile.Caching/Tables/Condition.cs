using System.Runtime.CompilerServices;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Tables;

/// <summary>What must be true of the key's entry for a change to happen.</summary>
internal readonly struct Condition
{
    private readonly Form _form;
    private readonly ulong _number;

    private Condition(Form form, ulong number)
    {
        _form = form;
        _number = number;
    }

    private enum Form
    {
        None,

        /// <summary>The key's entry has a version.</summary>
        Version,

        /// <summary>Nothing has happened to the key since a run of its factory began.</summary>
        Flight,
    }

    internal static Condition None => default;

    internal bool IsNone => _form == Form.None;

    /// <summary>Whether it is about the version of the key's entry.</summary>
    internal bool IsOfVersion => _form == Form.Version;

    /// <summary>The entry must be of a version; 0: there must be none.</summary>
    internal static Condition Of(ulong version) => new(Form.Version, version);

    /// <summary>The run must not be outdated.</summary>
    internal static Condition Of(FlightTicket ticket) => new(Form.Flight, ticket.Id);

    /// <summary>Whether it is met by what is known of a key under its gate, where it is not about a run.</summary>
    /// <param name="version">The version of the key's entry; 0: there is none.</param>
    internal bool IsMetBy(ulong version) => _form == Form.None || (_form == Form.Version && _number == version);

    /// <summary>Whether it is met. The bucket of the key is locked.</summary>
    /// <param name="flights">The runs of the table.</param>
    /// <param name="hash">The key's hash.</param>
    /// <param name="version">The version of what the key has in the index; 0: nothing.</param>
    /// <param name="isMissing">Whether the key counts as missing.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsMetLocked(FlightTickets flights, ulong hash, ulong version, bool isMissing) =>
        _form == Form.None || IsMetSlow(flights, hash, version, isMissing);

    private bool IsMetSlow(FlightTickets flights, ulong hash, ulong version, bool isMissing) =>
        _form == Form.Flight ? flights.MayKeep(hash, _number, version) : _number == (isMissing ? 0 : version);
}
