"""Generates the demand of 20 teams, hour by hour for 95 days, as docs/planning.md uses it.

python3 tools/generate_demand.py teams.csv
cargo run --release -p kasuan-plan --example replay_commit -- teams.csv 720 720 0
"""
import math
import random
import sys

def write(name, cols):
    T=len(next(iter(cols.values())))
    with open(name,'w') as f:
        f.write('hour,'+','.join(cols)+'\n')
        for t in range(T): f.write(f'{t},'+','.join(str(cols[c][t]) for c in cols)+'\n')
def jobs(T, rate, mean_h, size, seed, alpha=1.6, day=True, burst=0.0):
    r=random.Random(seed); d=[0.0]*T
    lvl=1.0
    for t in range(T):
        if burst and r.random()<1/72: lvl = r.choice([0.2,0.5,1,2,4]) if r.random()<burst else 1.0
        f=1.0
        if day:
            h=t%24; wd=(t//24)%7
            f=(1.8 if 9<=h<21 else 0.4)*(0.5 if wd>=5 else 1.15)
        lam=rate*f*lvl
        n=0; L=math.exp(-lam); p=r.random()
        while p>L: n+=1; p*=r.random()
        for _ in range(n):
            dur=min(24*14, (r.paretovariate(alpha))*mean_h*(alpha-1)/alpha)
            g=r.choice(size)
            e=int(t+max(1,round(dur)))
            for u in range(t,min(T,e)): d[u]+=g
    return [round(x) for x in d]
T=2280
def service(base, amp, seed, wk=0.7, noise=0.05, growth=0.0):
    r=random.Random(seed)
    return [max(0,round((base+amp*max(0,math.sin((t%24-7)/15*math.pi)) * (wk if (t//24)%7>=5 else 1))*(1+growth*t/2280)*(1+r.gauss(0,noise)))) for t in range(T)]
cols={}
for s in range(3): cols[f'service{s}']=service(6,14,s)
for s in range(4): cols[f'research{s}']=jobs(T,0.12*(s+1),20,[1,1,2,4,8],10+s,burst=0.6)
for s in range(3): cols[f'bursty{s}']=jobs(T,0.05*(s+1),40,[4,8,8,16],20+s,alpha=1.3,burst=0.9)
for s in range(2): cols[f'growth{s}']=service(5,6,30+s,growth=2.0)
for s in range(2): cols[f'shrink{s}']=service(20,15,40+s,growth=-0.8)
for s in range(2): cols[f'steps{s}']=[x+12*(((t//(24*(17+s*5)))%2)) for t,x in enumerate(service(4,3,50+s))]
cols['office']=[10 if 9<=t%24<19 and (t//24)%7<5 else 1 for t in range(T)]
for s in range(3): cols[f'longjobs{s}']=jobs(T,0.03*(s+1),110,[4,8,16],60+s,alpha=1.8,day=False)
write(sys.argv[1], cols)
