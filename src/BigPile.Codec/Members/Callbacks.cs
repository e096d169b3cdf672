using System;
using System.Reflection;

namespace BigPile.Codec.Members;

/// <summary>The callbacks of a class, before a write and after a read. MessagePack-CSharp's interface is recognized by its name.</summary>
/// <remarks>
/// One write may call <see cref="BeforeWrite"/> twice: it restarts if the graph turns out to share objects. <see cref="AfterRead"/> runs
/// when the whole graph is filled, the root's last.
/// </remarks>
internal abstract class Callbacks
{
    private const string InterfaceName = "MessagePack.IMessagePackSerializationCallbackReceiver";

    public abstract void BeforeWrite(object value);

    public abstract void AfterRead(object value);

    /// <summary>The callbacks of a class, or null when it has none.</summary>
    public static Callbacks? Of(Type type)
    {
        if (type.IsValueType)
            return null;
        Callbacks? contract = FindInterface(type) is { } receiver && Contract.Of(type) is not null
            ? (Callbacks)Activator.CreateInstance(typeof(CallbacksOf<>).MakeGenericType(receiver))!
            : null;
        return typeof(IPileReadCallback).IsAssignableFrom(type) ? new ReadCallbacks(contract) : contract;
    }

    public static bool AreOn(Type type) => FindInterface(type) is not null;

    private static Type? FindInterface(Type type) => Array.Find(type.GetInterfaces(), i => i.FullName == InterfaceName);
}

/// <summary>The pile's own callback, after those of a contract.</summary>
internal sealed class ReadCallbacks(Callbacks? contract) : Callbacks
{
    public override void BeforeWrite(object value) => contract?.BeforeWrite(value);

    public override void AfterRead(object value)
    {
        contract?.AfterRead(value);
        ((IPileReadCallback)value).OnRead();
    }
}

/// <summary>The callbacks through MessagePack-CSharp's interface, of whatever version the application has.</summary>
internal sealed class CallbacksOf<TReceiver> : Callbacks
    where TReceiver : class
{
    private static readonly Action<TReceiver> Before = Method("OnBeforeSerialize");
    private static readonly Action<TReceiver> After = Method("OnAfterDeserialize");

    public override void BeforeWrite(object value) => Before((TReceiver)value);

    public override void AfterRead(object value) => After((TReceiver)value);

    private static Action<TReceiver> Method(string name) =>
        typeof(TReceiver).GetMethod(name, BindingFlags.Instance | BindingFlags.Public, [])!.CreateDelegate<Action<TReceiver>>();
}
