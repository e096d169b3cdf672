using System;
using System.Runtime.CompilerServices;

namespace BigPile.Codec;

/// <summary>The models and slots of one codec, by type.</summary>
/// <remarks>The tables hold their types weakly, so that a plug-in's types can be unloaded. Thread safety: all members may be called concurrently.</remarks>
internal sealed class ModelCache
{
    private readonly ConditionalWeakTable<Type, TypeModel> _models = [];
    private readonly ConditionalWeakTable<Type, Slot> _slots = [];
    private readonly MessagePackPileCodec _codec;
    private readonly bool _mayExtendContracts;

    public ModelCache(MessagePackPileCodec codec, PileCodecOptions options, bool outlivesProcess)
    {
        _codec = codec;
        Options = options;
        _mayExtendContracts = options.MayExtendContracts;
        Types = new TypeRegistry(options, outlivesProcess);
        Factory = new ModelFactory(this, options);
        CodeGeneration = options.CodeGeneration;
        Contracts = new ContractSlots(this, mayExtend: true);
        PlainContracts = new ContractSlots(this, mayExtend: _mayExtendContracts);
        Any = SlotFor(typeof(object));
        Comparers = new ComparerSlot(Any);
    }

    public PileCodecOptions Options { get; }

    public TypeRegistry Types { get; }

    public ModelFactory Factory { get; }

    /// <summary>The slots of members of contract types.</summary>
    public ContractSlots Contracts { get; }

    /// <summary>The slots of members of types that are in MessagePack-CSharp's form.</summary>
    public ContractSlots PlainContracts { get; }

    public CodeGeneration CodeGeneration { get; }

    /// <summary>A place for any object.</summary>
    public Slot Any { get; }

    public ComparerSlot Comparers { get; }

    /// <summary>The model of objects that are exactly of a type.</summary>
    public TypeModel ForType(Type type) => _models.TryGetValue(type, out TypeModel? model) ? model : _models.GetValue(type, Factory.MakeModel);

    /// <summary>The slot of places that are declared with a type.</summary>
    public Slot SlotFor(Type declared) => _slots.TryGetValue(declared, out Slot? slot) ? slot : _slots.GetValue(declared, Factory.MakeSlot);

    /// <summary>Whether an object can be exactly of a declared type, and can be stored. Else places of the type always state what they hold.</summary>
    public bool CanBeExact(Type declared) => Factory.CanBeExact(declared);

    /// <summary>Whether hash and equality of a key need no code of the application and no content of other objects.</summary>
    public bool HasPlainEquality(Type key) => PlainKeys.Contains(key);

    /// <summary>Whether a type's payloads are in the form of MessagePack-CSharp, without the pile's extensions.</summary>
    public bool IsPlain(Type type) => !_mayExtendContracts && Contract.IsMessagePackObject(type);

    public int Assign(TypeModel model) => _codec.Assign(model);

    /// <summary>Lets go of all models and slots. They refer to this cache, so a type that never goes would keep the cache for ever.</summary>
    public void Clear()
    {
        _models.Clear();
        _slots.Clear();
        Contracts.Clear();
        PlainContracts.Clear();
    }
}
